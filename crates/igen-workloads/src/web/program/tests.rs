//! Scenarios that are not what they should be, and where their faults are told.

#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;

const HOME: &str = "
session = { steps = [{ page = 'home' }] }
[[page]]
name = 'home'
request = [{ get = '/' }]
";

fn compile(toml: &str) -> Result<Program, JobError> {
    Program::new(&toml::from_str(toml).expect(toml), 2)
}

fn fault(toml: &str) -> JobError {
    compile(toml).err().expect(toml)
}

#[test]
fn the_built_in_scenario_has_no_fault() {
    let program = Program::new(&Scenario::shop().unwrap(), 1_000).unwrap();
    assert!(
        program
            .operations
            .iter()
            .any(|name| name == "login: sign in"),
        "{:?}",
        program.operations
    );
    assert_eq!(program.pages.len(), 6);
    assert_eq!(program.resources.len(), 23);
    assert!(compile(HOME).is_ok());
}

#[test]
#[expect(clippy::too_many_lines)]
fn faults_are_told_with_their_place() {
    let login = "
        session = { steps = [{ page = 'login' }] }
        [[page]]
        name = 'login'
        [[page.request]]
        get = '/login'
        extract.csrf = { input = 'csrf_token' }
        [[page.request]]
        post = '/login'
    ";
    assert!(compile(&format!("{login} form = {{ csrf = '{{csrf}}' }}")).is_ok());
    for (toml, path, says) in [
        (
            format!("{login} form = {{ csrf = '{{crsf}}' }}"),
            "page[0].request[1].form.csrf",
            "did you mean `csrf`?",
        ),
        (
            format!("{login} form = {{ csrf = '{{secret.csrf}}' }}"),
            "page[0].request[1].form.csrf",
            "secret.csrf",
        ),
        (
            format!("{login} json = '{{}}'\nbody = ''"),
            "page[0].request[1]",
            "one body",
        ),
        (
            format!("{login} get = '/'"),
            "page[0].request[1]",
            "exactly one method",
        ),
        (
            format!("{login} extract.x = {{ input = 'a', json = '/a' }}"),
            "page[0].request[1].extract.x",
            "exactly one source",
        ),
        (
            format!("{login} extract.x = {{ input = '' }}"),
            "page[0].request[1].extract.x.input",
            "name of the field is empty",
        ),
        (
            format!("{login} extract.x = {{ regex = '(' }}"),
            "page[0].request[1].extract.x.regex",
            "unclosed",
        ),
        (
            format!("{login} extract.x = {{ json = 'a' }}"),
            "page[0].request[1].extract.x.json",
            "slash",
        ),
        (
            format!("{login} expect = {{ status = 99 }}"),
            "page[0].request[1].expect.status",
            "200 to 599",
        ),
        (
            format!("{login} headers = {{ Authorization = 'hush' }}"),
            "page[0].request[1].headers.Authorization",
            "secrets",
        ),
        (
            format!("{login} headers = {{ X-Auth-Token = 'hush' }}"),
            "page[0].request[1].headers.X-Auth-Token",
            "secrets",
        ),
        (
            format!("{login} headers = {{ X-Note = 'ghp_k7Q2hushhushhush' }}"),
            "page[0].request[1].headers.X-Note",
            "secrets",
        ),
        (
            format!("{login} headers = {{ Cookie = 'a=b' }}"),
            "page[0].request[1].headers.Cookie",
            "cannot be set",
        ),
        (
            HOME.replace("'/'", "'http://{x}/'"),
            "page[0].request[0].get",
            "a variable in its host",
        ),
        (
            HOME.replace("'/'", "'http://a/'"),
            "page[0].request[0].get",
            "all requests go to the target",
        ),
        (
            HOME.replace("'/'", "'home'"),
            "page[0].request[0].get",
            "not a valid path",
        ),
        (
            HOME.replace("page = 'home'", "page = 'hme'"),
            "session.steps[0].page",
            "did you mean `home`?",
        ),
        (
            format!("{HOME}[[page]]\nname = 'home'\nrequest = [{{ get = '/' }}]"),
            "page[1].name",
            "used twice",
        ),
        (
            format!("{HOME}[[page]]\nname = 'x'\nrequest = [{{ get = '/' }}]"),
            "page[1]",
            "no step uses the page",
        ),
        (HOME.replace("{ get = '/' }", ""), "page[0]", "one request"),
        (
            HOME.replace("{ get = '/' }", "{ get = '/' }, { get = '/' }"),
            "page[0].request[1]",
            "its own name",
        ),
        (
            format!("{HOME}resource = [{{ get = '/a' }}, {{ get = '/a' }}]"),
            "page[0].resource[1].get",
            "twice",
        ),
        (
            format!("defaults = {{ timeout = 0 }}\n{HOME}"),
            "defaults.timeout",
            "0.5 to 3600",
        ),
        (
            format!("{login} timeout = 0"),
            "page[0].request[1].timeout",
            "0.5 to 3600",
        ),
        (
            format!("{login} after = 'GET /logn'"),
            "page[0].request[1].after",
            "did you mean `GET /login`?",
        ),
        (
            format!("{login} after = 'POST /login'"),
            "page[0].request[1].after",
            "is not above",
        ),
        (
            format!("{HOME}think = 'uniform:9s,1s'"),
            "page[0].think",
            "is empty",
        ),
        (
            format!("browser = {{ idle_close = 0 }}\n{HOME}"),
            "browser.idle_close",
            "0.001 to 86400",
        ),
        (
            format!("browser = {{ connections = 0 }}\n{HOME}"),
            "browser.connections",
            "1 to 32",
        ),
        (
            format!("once = [{{ page = 'hom' }}]\n{HOME}"),
            "once[0].page",
            "`home`",
        ),
        (
            format!("data.a = {{ file = 'a.csv', pick = 'next' }}\n{HOME}"),
            "data.a",
            "@FILE",
        ),
        (
            format!("data.a = {{ file = 'a.csv', pick = 'unique', text = \"x\\n1\" }}\n{HOME}"),
            "data.a",
            "1 rows for 2 users",
        ),
        (
            format!("data.user = {{ file = 'a.csv', pick = 'next', text = \"x\\n1\" }}\n{HOME}"),
            "data.user",
            "reserved",
        ),
    ] {
        let error = fault(&toml);
        assert_eq!(error.path, format!("scenario.{path}"), "{toml}: {error}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn a_variable_must_be_set_on_every_way() {
    let scenario = |steps: &str| {
        format!(
            "session = {{ steps = [{steps}] }}
            [[page]]
            name = 'find'
            request = [{{ get = '/', extract.id = {{ header = 'id' }} }}]
            [[page]]
            name = 'use'
            request = [{{ get = '/{{id}}' }}]"
        )
    };
    let (find, uses) = ("{ page = 'find' }", "{ page = 'use' }");
    for steps in [
        format!("{find}, {uses}"),
        format!("{{ loop = {{ 1 = 1, 2 = 1 }}, steps = [{find}] }}, {uses}"),
        format!("{{ loop = {{ 0 = 0, 2 = 1 }}, steps = [{find}] }}, {uses}"),
        format!(
            "{{ choose = [{{ weight = 1, steps = [{find}] }}, {{ weight = 0, steps = [] }}] }}, {uses}"
        ),
        format!(
            "{find}, {{ choose = [{{ weight = 1, steps = [{uses}] }}, {{ weight = 1, steps = [] }}] }}"
        ),
    ] {
        assert!(compile(&scenario(&steps)).is_ok(), "{steps}");
    }
    for steps in [
        format!("{uses}, {find}"),
        format!("{{ loop = {{ 0 = 1, 2 = 1 }}, steps = [{find}] }}, {uses}"),
        format!(
            "{{ choose = [{{ weight = 1, steps = [{find}] }}, {{ weight = 1, steps = [] }}] }}, {uses}"
        ),
    ] {
        let error = fault(&scenario(&steps));
        assert_eq!(error.path, "scenario.page[1].request[0].get");
        assert!(
            error
                .text
                .contains("{id} is not set on the path scenario.session.steps["),
            "{error}"
        );
    }
}

#[test]
fn requests_that_go_out_together_do_not_share_variables() {
    let page = |second: &str, third: &str| {
        format!(
            "session = {{ steps = [{{ page = 'a' }}] }}
            [[page]]
            name = 'a'
            request = [
              {{ get = '/1', extract = {{ x = {{ header = 'x' }} }} }},
              {{ get = '/2', {second} }},
              {{ get = '/3', {third} }},
            ]"
        )
    };
    let (both, after) = ("after = 'GET /1'", "after = 'GET /2'");
    let (sets, sets_y, uses) = (
        "extract = { x = { header = 'x' } }",
        "extract = { y = { header = 'y' } }",
        "headers = { a = '{x}' }",
    );
    for (second, third) in [
        (format!("{both}, {uses}"), format!("{both}, {uses}")),
        (format!("{both}, {sets}"), format!("{after}, {uses}")),
        (format!("{both}, {sets}"), format!("{both}, {sets_y}")),
    ] {
        assert!(compile(&page(&second, &third)).is_ok(), "{second} {third}");
    }
    for (second, third, path, says) in [
        (sets, uses, "2].headers", "needs {x}, but `GET /2` sets"),
        (sets, sets, "1].extract.x", "sets {x}, but `GET /3` sets"),
        (uses, sets, "1].headers", "needs {x}, but `GET /3` sets"),
    ] {
        let error = fault(&page(
            &format!("{both}, {second}"),
            &format!("{both}, {third}"),
        ));
        assert_eq!(error.path, format!("scenario.page[0].request[{path}"));
        assert!(error.text.contains(says), "{error}");
    }
    // What a parallel request sets is not there yet.
    let early = page(
        &format!("{both}, {sets_y}"),
        &format!("{both}, headers = {{ a = '{{y}}' }}"),
    );
    assert_eq!(fault(&early).path, "scenario.page[0].request[2].headers");
}
