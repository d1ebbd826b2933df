import { expect, test } from "vitest";
import { fault } from "../findings/finding.ts";
import { openMjml } from "./mjml.ts";

const document = (body: string) =>
	`<mjml><mj-body><mj-section><mj-column>${body}</mj-column></mj-section></mj-body></mjml>`;

test("documents are compiled one after the other by a thread", async () => {
	const compile = openMjml();
	const results = await Promise.all(
		["a", "b"].map((text) => compile(document(`<mj-text>${text}</mj-text>`))),
	);
	expect(results.map((result) => "html" in result && />([ab])<\/div>/.exec(result.html)?.[1])).toEqual([
		"a",
		"b",
	]);
});

test("what is wrong with a document is said", async () => {
	const compile = openMjml();
	expect(await compile(document('<mj-text width2="1">a</mj-text>'))).toMatchObject({
		problems: [fault("attribute_misplaced", { element: "mj-text", attribute: "width2" })],
	});
	expect(await compile(document('<mj-text align="up">a</mj-text>'))).toMatchObject({
		problems: [fault("attribute_invalid", { attribute: "align" })],
	});
	expect(await compile(document("<mj-column></mj-column>"))).toMatchObject({
		problems: [fault("element_misplaced", { element: "mj-column", parent: "mj-column" })],
	});
	expect(await compile("<mjml>")).toMatchObject({ problems: [{ code: "mjml_invalid" }] });
});

test("a document that takes too long ends the thread, and the next one is compiled", async () => {
	const compile = openMjml({ timeoutMs: 400 });
	expect(await compile(document("<mj-text>a</mj-text>"))).toHaveProperty("html");
	const huge = await compile(document("<mj-text>a</mj-text>".repeat(60_000)));
	expect(huge).toEqual({ problems: [fault("compile_limit", { ms: 400, mb: 128 })] });
	expect(await compile(document("<mj-text>b</mj-text>"))).toHaveProperty("html");
});

test("a thread that needs too much memory ends, and the process continues", async () => {
	const compile = openMjml({ memoryMb: 8 });
	expect(await compile(document("<mj-text>a</mj-text>"))).toEqual({
		problems: [fault("compile_limit", { ms: 5_000, mb: 8 })],
	});
});

test("an include reads no file", async () => {
	const result = await openMjml()(
		`<mjml><mj-body><mj-include path="${import.meta.filename}" /></mj-body></mjml>`,
	);
	expect(JSON.stringify(result)).not.toContain("an include reads no file");
});
