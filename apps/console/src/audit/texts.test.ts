import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { tables } from "./texts.ts";

const root = resolve(import.meta.dirname, "../../../..");
/** The audit log of subscriptions is for the platform only, and no page shows it. */
const files = globSync("{packages,services}/*/src/**/*.ts", { cwd: root }).filter(
	(path) => !/\.test\.ts$|^services\/subscriptions\//.test(path),
);
const actions = files.flatMap((path) =>
	[...readFileSync(resolve(root, path), "utf8").matchAll(/\baction: "([a-z_]+\.[a-z_]+)"/g)].map(
		([, action = ""]) => action,
	),
);

test("every action of the audit logs has a text", () => {
	expect(actions.length).toBeGreaterThan(50);
	const texts = { ...tables.en.actions, ...tables.en.serviceActions };
	expect(actions.filter((action) => !Object.hasOwn(texts, action))).toEqual([]);
});
