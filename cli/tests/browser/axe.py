"""Whether a page can be used by everybody, as far as axe-core finds out."""

import os

RUN = """
const done = arguments[0];
const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
axe.run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] })
  .then(({ violations }) => done(violations.map(({ id, nodes }) =>
    `${id}: ` + nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; "))),
  (error) => done([String(error)]));
"""


def source():
    """The text of axe-core; None where it is not there."""
    path = os.environ.get("DEALERLESS_AXE")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def violations(browser, text):
    """What axe-core finds on the page as it is now."""
    if not browser.run("return 'axe' in window"):
        browser.run(text)
    return browser.driver.execute_async_script(RUN)
