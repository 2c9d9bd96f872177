"use strict";
// Without this script the page works too; it adds buttons that copy, and the example of a chosen tool.
const copy = async (element) => {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    // The clipboard is for pages over HTTPS or of this machine, and a browser may refuse it.
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }
};
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const told = document.getElementById("copied");
    if (await copy(document.getElementById(button.dataset.copy))) told.textContent = told.dataset.text;
  });
}
const tool = document.getElementById("tool");
tool?.addEventListener("change", () => {
  const here = new URL(location.href);
  here.searchParams.set("tool", tool.value);
  here.searchParams.delete("arguments");
  here.hash = "try";
  location.assign(here);
});
