// Comfort beside forms that work by themselves: what is ticked, what is copied, and keys.
const ticked = () => document.querySelectorAll('input[name="run"]:checked').length;
const count = document.querySelector("[data-ticked]");
const compare = document.getElementById("compare");
if (count && compare) {
  const show = () => {
    const many = ticked();
    count.textContent = many ? ` ${many}` : "";
    compare.classList.toggle("primary", many > 1);
  };
  document.getElementById("pick").addEventListener("change", show);
  show();
}

function offerCopies(part) {
  for (const button of part.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      const before = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = before; }, 1500);
    });
  }
}
offerCopies(document);

for (const range of document.querySelectorAll("input[type=range]")) {
  const shown = document.querySelector(`output[for="${range.id}"]`);
  range.addEventListener("input", () => { shown.textContent = range.value; });
}

// Fields that belong to one choice only are there while it is chosen.
const choices = document.querySelectorAll("[data-for]");
if (choices.length) {
  const show = () => {
    for (const part of choices) {
      const [name, values] = part.dataset.for.split("=");
      const chosen = document.querySelector(`[name="${name}"]:checked`);
      part.hidden = !chosen || !values.split("|").includes(chosen.value);
    }
  };
  document.addEventListener("change", show);
  show();
}
for (const select of document.querySelectorAll("select[data-submit]")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}

const KEYS = "igen-keys";
const keys = document.getElementById("keys");
if (keys) {
  keys.checked = localStorage.getItem(KEYS) !== "off";
  keys.addEventListener("change", () => localStorage.setItem(KEYS, keys.checked ? "on" : "off"));
}
const places = { r: "/", n: "/new", q: "/queue", "?": "/help" };
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(KEYS) === "off") return;
  if (event.key === "/") {
    const search = document.querySelector('[data-key="/"]');
    if (search) { event.preventDefault(); search.focus(); }
  } else if (places[event.key] && document.querySelector(`.bar a[href="${places[event.key]}"]`)) {
    location.assign(places[event.key]);
  }
});

// What would run, at once and while one still types: the answer of the same form, without leaving the page.
const wish = document.getElementById("wish");
const plan = document.getElementById("plan");
if (wish && plan) {
  let asked = 0, answered = 0;
  // The button that was clicked while a new plan was on its way: it is clicked for the new plan.
  let wanted = null;
  // Resolves when the mouse button, if one is down, is up again and its click has come: it belongs to the old plan.
  let released = Promise.resolve();
  plan.addEventListener("pointerdown", () => {
    released = new Promise((resolve) => {
      for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(resolve), { once: true });
    });
  });
  plan.addEventListener("submit", (event) => {
    if (asked === answered) return;
    event.preventDefault();
    wanted = event.submitter;
  });
  const sameIn = (part, old) => part.querySelector(`form button[formaction="${old.getAttribute("formaction")}"]`)
    || part.querySelector("form button:not([formaction])");
  const showPlan = (children) => {
    const typed = [...plan.querySelectorAll("form input:not([type=hidden], [required])")].filter((field) => field.value);
    const focused = plan.contains(document.activeElement) ? document.activeElement : null;
    plan.replaceChildren(...children);
    for (const old of typed) {
      const field = plan.querySelector(`form input[name="${CSS.escape(old.name)}"]`);
      if (field) field.value = old.value;
    }
    if (focused?.matches("form button")) sameIn(plan, focused)?.focus();
    const button = wanted && sameIn(plan, wanted);
    wanted = null;
    button?.form.requestSubmit(button);
  };
  // The console has ended, or this page is of another session: what it says of that, if anything.
  const planNothing = (page) => {
    const said = document.createElement("p");
    said.className = "banner";
    said.setAttribute("role", "alert");
    const why = page?.querySelector("[role=alert]")?.textContent.trim();
    said.textContent = why || (page ? "This page is out of date: reload it." : "The console does not respond: is it still running?");
    showPlan([said]);
  };
  const ask = async (typed) => {
    const mine = ++asked;
    let page;
    try {
      const answer = await fetch(wish.action, { method: "POST", body: new URLSearchParams(new FormData(wish)) });
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { page = null; }
    await released;
    if (mine !== asked) return;
    answered = mine;
    if (!page?.getElementById("plan")) return planNothing(page);
    const wrong = page.getElementById("wrong");
    if (wrong && !typed) return;
    showPlan(wrong ? [wrong] : page.getElementById("plan").children);
    for (const field of wish.elements) {
      const same = page.querySelector(`#wish [name="${CSS.escape(field.name)}"]`);
      if (same && same.hasAttribute("aria-invalid")) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
    offerCopies(plan);
  };
  wish.addEventListener("change", () => ask(true));
  if (!document.getElementById("command")) ask(false);
}
