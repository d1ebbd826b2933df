/** The console explains the codes of deliveries, and knows which of them say that an address is bad. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { meaningOf, saysBadAddress } from "../apps/console/src/pages/messages/timeline/vendor-codes.ts";

const root = resolve(import.meta.dirname, "..");
const source = "services/notifications/src";
const read = (path: string) => readFileSync(join(root, path), "utf8");
const texts = read("apps/console/src/pages/messages/timeline/texts.ts");
const prefixes = { africastalking: "at", twilio: "twilio", "whatsapp-cloud": "whatsapp" };

/** Whether both languages have a text for the code, or for what it means. */
const isExplained = (code: string) => texts.split(`\t\t${meaningOf(code) ?? code}: `).length >= 3;

test("every code that the dispatch and the providers name is explained", () => {
	const files = globSync(`${source}/{dispatch,providers}/**/*.ts`, { cwd: root });
	const codes = files
		.filter((path) => !path.endsWith(".test.ts"))
		.flatMap((path) => [...read(path).matchAll(/(?:code|errorCode): "(\w+)"|HostForbidden\("(\w+)"\)/g)])
		.map(([, code, host]) => code ?? host ?? "");
	expect(codes.length).toBeGreaterThan(8);
	expect(codes.filter((code) => !isExplained(code))).toEqual([]);
});

test.each(Object.entries(prefixes))("every final code of %s is explained", (adapter, prefix) => {
	const text = read(`${source}/providers/adapters/${adapter}.ts`);
	const codesOf = (name: string) => {
		const [, body = ""] = text.split(`const ${name}: ReadonlySet<number> = new Set([`);
		return [...body.slice(0, body.indexOf(";")).matchAll(/\d+/g)].map(([number]) => `${prefix}_${number}`);
	};
	const [bad, final] = [codesOf("badAddress"), codesOf("final")];
	expect(Math.min(bad.length, final.length)).toBeGreaterThan(0);
	expect([...bad, ...final].filter((code) => !isExplained(code))).toEqual([]);
	expect([...bad, ...final].filter((code) => saysBadAddress(code) !== bad.includes(code))).toEqual([]);
});
