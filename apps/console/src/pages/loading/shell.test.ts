import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import html from "../../../index.html?raw";
import { Shell } from "./shell.tsx";

test("the HTML file shows the outline of a page before the scripts run", () => {
	expect(html).toContain(renderToStaticMarkup(createElement(Shell, { wordmark: "Lango" })));
});
