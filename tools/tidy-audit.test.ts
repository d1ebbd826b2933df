/** The texts of the console name every action that a service writes into its audit log. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const files = globSync("{packages,services}/*/src/**/*.ts", { cwd: root }).filter(
	(path) => !path.endsWith(".test.ts"),
);
const actions = files.flatMap((path) =>
	[...read(path).matchAll(/\baction: "([a-z_]+\.[a-z_]+)"/g)].map(([, action]) => action),
);

/** Files whose templates need no reading here. */
const readElsewhere = [
	// The compiler checks that they are of the type AuditAction, which the texts are complete for.
	"services/auth/src/sessions/logout/end-session.ts",
	// They belong to the catalogue, and so to no organisation: no page shows them.
	"services/subscriptions/src/platform/version-admin.routes.ts",
];

test("every action of the audit logs has a text in the console", () => {
	expect(actions.length).toBeGreaterThan(50);
	const texts = read("apps/console/src/audit/texts.ts");
	expect(actions.filter((action) => !texts.includes(`"${action}": `))).toEqual([]);
});

test("no action is put together from parts, which would hide it from the test above", () => {
	const found = files.filter((path) => /\baction:\s*`/.test(read(path)));
	expect(found.toSorted()).toEqual(readElsewhere);
});
