import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Numbers keep their notation: `250.00` is another form than `250`. */
const keepNotation = (text: string) =>
	text.replaceAll(/(?<=[:[,]\s*)-?\d+(\.\d+)?(?=\s*[,}\]])/g, (number) =>
		JSON.stringify(number.includes(".") ? "<decimal>" : "<integer>"),
	);

/**
 * The members of a JSON text in their order, with the types of their values, and the names in lists of pairs.
 */
export const shapeOf = (text: string): unknown =>
	JSON.parse(keepNotation(text), (key, value) => {
		if (typeof value !== "string" || /^(Key|[Nn]ame)$/.test(key)) return value;
		return /^<(decimal|integer)>$/.test(value) ? value : "<text>";
	});

/** The shape of a fixture, which is modelled on what the real gateway sends. */
export const fixture = (name: string): unknown =>
	shapeOf(readFileSync(join(import.meta.dirname, "fixtures", `${name}.json`), "utf8"));
