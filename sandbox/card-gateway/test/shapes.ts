import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The members of a value and their types, as `data.history[].by` → `string`; of a list those of its first
 * item.
 */
function membersOf(value: unknown, path = ""): Array<readonly [path: string, type: string]> {
	if (value === null) return [[path, "null"]];
	if (Array.isArray(value)) return value.length === 0 ? [[path, "list"]] : membersOf(value[0], `${path}[]`);
	if (typeof value !== "object") return [[path, typeof value]];
	const members = Object.entries(value);
	if (members.length === 0) return [[path, "object"]];
	return members.flatMap(([name, member]) => membersOf(member, path === "" ? name : `${path}.${name}`));
}

/** What a real gateway of this kind sends, by event or call: no values, only members and their types. */
export const referenceShapes = new Map(
	readFileSync(join(import.meta.dirname, "reference-shapes.txt"), "utf8")
		.trim()
		.split("\n\n")
		.map((block) => {
			const [name = "", ...lines] = block.split("\n");
			return [name, lines.map((line) => line.trim().split(" ") as [path: string, type: string])];
		}),
);

/** The members of the reference that a value lacks, or has with another type. Null matches every type. */
export function differencesFrom(name: string, value: unknown): string[] {
	const found = membersOf(value);
	const types = new Map(found);
	const isContainer = (path: string) =>
		found.some(([other]) => other.startsWith(`${path}.`) || other.startsWith(`${path}[]`));
	return (referenceShapes.get(name) ?? []).flatMap(([path, type]) => {
		const parent = path.slice(0, Math.max(0, path.lastIndexOf(".")));
		const isNullParent = types.get(parent) === "null";
		const own = types.get(path) ?? (isContainer(path) ? "object" : undefined);
		const isSame = own === type || own === "null" || type === "null" || (type === "list" && own !== "string");
		return (own === undefined && !isNullParent) || (own !== undefined && !isSame)
			? [`${path}: ${type}, here ${own ?? "missing"}`]
			: [];
	});
}
