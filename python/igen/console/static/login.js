// The code of a printed link is in the form already: it is sent at once.
const form = document.getElementById("login");
history.replaceState(null, "", "/login");
form.requestSubmit();
