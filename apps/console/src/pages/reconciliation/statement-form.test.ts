import { expect, test } from "vitest";
import { checkStatement } from "./statement-form.ts";
import { tables } from "./texts.ts";

const entered = ({ file, ...fields }: Record<string, string | File>) => {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	form.set("file", file ?? new File([], ""));
	return form;
};
const file = new File(["date,amount,reference"], "november.csv");
const tooLarge = new File(["x".repeat(8 * 1_024 * 1_024 + 1)], "years.csv");

test.each([
	["without a file", { source: "bank" }, ["file"]],
	["with a file of more than 8 MB", { source: "bank", file: tooLarge }, ["file"]],
	["of nothing", { source: "shortcode" }, ["shortcode", "file"]],
	["of a shortcode that is not said", { source: "shortcode", shortcode: "", file }, ["shortcode"]],
	["of the bank account", { source: "bank", file }, []],
	["of a shortcode", { source: "shortcode", shortcode: "600200", file }, []],
])("a statement %s is refused at its fields, or sent", (_what, fields, refused) => {
	expect(
		checkStatement(entered(fields as Record<string, string | File>), tables.en.statement).map(
			(error) => error.field,
		),
	).toEqual(refused);
});
