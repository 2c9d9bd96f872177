"use strict";
// Without this script the page works too; it adds buttons that copy, and the example of a chosen tool.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const told = document.getElementById("copied");
    await navigator.clipboard.writeText(text);
    told.textContent = told.dataset.text;
  });
}
const tool = document.getElementById("tool");
tool?.addEventListener("change", () => {
  const here = new URL(location.href);
  here.searchParams.set("tool", tool.value);
  here.hash = "try";
  location.assign(here);
});
