/**
 * The glossary of the Swahili texts: one term for each notion, in both apps, in packages/interface, and in
 * the templates of messages. A test refuses other terms for the same notion.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const glossary: ReadonlyArray<readonly [notion: string, term: string, refused: RegExp]> = [
	["approve", "idhinisha, idhini", /kusubiri kukubaliwa|\b(?:anasubiri|hadi) (?:ku|u(?:wa|m))kubali/i],
	["archive", "hifadhi kando, yaliyohifadhiwa", /kwenye nyaraka|wekwa kumbukumbuni/i],
	["catalogue", "katalogi", /orodha ya bidhaa/i],
	["event", "tukio, matukio", /ujumbe (?:ulioshindikana|usioweza kutumwa)/i],
	["feature", "kipengele, vipengele", /features?: "Huduma/],
	["outlet", "tawi, matawi", /\bvituo\b|\bkituo\b/i],
	["plan", "mpango, mipango", /kifurushi|vifurushi/i],
	["product", "bidhaa", /product[^"]*: "(?:Mpango wenu hauna )?[Hh]uduma/],
	["revoke a role", "ondoa", /nyang['’]any/i],
	["rider", "msafirishaji, wasafirishaji", /waendeshaji|riders?: "Mwendesha/i],
	["role", "wadhifa, nyadhifa", /\b(?:ma)?jukumu\b|\bcheo\b|\bvyeo\b/i],
	["segment of an SMS", "kipande, vipande", /segments[^"]*: "(?:Salio kwa )?[Ss]ehemu/],
	["session", "kipindi, vipindi", /vifaa ulivyoingia/i],
	["subscription", "usajili", /usajili wa malipo|muda wa mpango|mpango haufanyi kazi|subscriptions?: "M/i],
];

const root = resolve(import.meta.dirname, "..");
const folders = ["apps", "packages/interface", "services/notifications/src/catalogue"];
const sources = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...folders], {
	cwd: root,
	encoding: "utf8",
})
	.split("\n")
	.filter((path) => /\.ts$/.test(path) && !path.includes(".test.") && existsSync(join(root, path)))
	.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** The Swahili part of each file: from the table named `swahili` to the end. */
const swahili = sources.flatMap(({ path, text }) => {
	const start = text.search(/\bconst swahili\b/);
	return start === -1 ? [] : [{ path, text: text.slice(start) }];
});

test("the Swahili texts of both apps are found", () => {
	expect(swahili.length).toBeGreaterThan(25);
	expect(swahili.some(({ path }) => path.startsWith("apps/accounts/"))).toBe(true);
	expect(swahili.some(({ path }) => path.startsWith("services/notifications/"))).toBe(true);
});

test.each(glossary)('in Swahili, "%s" is always called "%s"', (_notion, _term, refused) => {
	const found = swahili.flatMap(({ path, text }) =>
		text
			.split("\n")
			.filter((line) => refused.test(line))
			.map((line) => `${path}: ${line.trim()}`),
	);
	expect(found).toEqual([]);
});
