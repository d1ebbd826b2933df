/**
 * Checks that code, comments, messages and documents use standard terms (docs/pages/words.md). The rule
 * applies to the folders in `cleanFolders`. Add a folder when its texts have been rewritten; never remove
 * one.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const cleanFolders = [
	"ARCHITECTURE.md",
	"CONTRIBUTING.md",
	"README.md",
	"examples",
	"services/hospital",
	"services/inventory",
	"services/logistics",
	"services/marketflow",
	"services/notifications",
	"services/ordering",
	"services/pos",
	"services/projects",
	"services/treasury",
	"apps/accounts",
	"apps/console",
	"packages/access",
	"packages/chassis",
	"packages/client",
	"docs/decisions",
	"docs/pages/front-end.md",
	"docs/pages/observing.md",
	"docs/pages/operating.md",
	"docs/pages/refusals.md",
	"packages/contracts",
	"packages/entitlements",
	"packages/events",
	"packages/interface",
	"packages/jobs",
	"packages/memory",
	"packages/pages",
	"packages/passwords",
	"packages/postgres",
	"packages/signing-keys",
	"packages/tenancy",
	"packages/testkit",
	"packages/tokens",
	"packages/tracing",
	"sandbox",
	"services/auth",
	"services/subscriptions",
	".ci",
	"bench",
	"deploy",
	"tests/citus",
	"tests/conformance",
	"tests/faults",
	"tests/journeys",
	"tests/pictures",
	"tests/starting",
	"tools",
];

/** SQL is checked as a whole: comments, names, bodies of functions and texts of `comment on`. */
const isChecked = (path: string): boolean => /\.(ts|tsx|js|md|yaml|sql)$/.test(path);

const root = resolve(import.meta.dirname, "..");
/** This file contains the words. */
const ownPath = "tools/tidy-words.test.ts";
const checked = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...cleanFolders], {
	cwd: root,
	encoding: "utf8",
})
	.split("\n")
	.filter((path) => path !== ownPath && isChecked(path) && existsSync(join(root, path)));

/** Released names that contain a rejected word: links to decisions, and a value of `usageWindows`. */
const released = /docs\/decisions\/\S+\.md|\bstanding(?=["`':])/g;

/** The system's user without rights. */
const systemUser = /["`]nobody["`]|\buser nobody\b/g;

/** Jobs and settings that contain a rejected word. */
const releasedNames = /\b(?:people|tenants|tokens)HeldMax\b|\b(?:bundles\.tell|settle\.sweep)\b/g;

/**
 * The path and the text, without released names and with comments and paragraphs joined into one line each.
 */
const proseOf = (path: string) => {
	const whole = readFileSync(join(root, path), "utf8");
	const text = whole.replaceAll(released, "").replaceAll(releasedNames, "").replaceAll(systemUser, "");
	return `${path}\n${text.replaceAll(/\n[ \t]*(?:\* |\/\/ |-- )?(?=\S)/g, " ")}`;
};

/**
 * Words of the earlier dialect. A pattern also finds the word inside a camelCase identifier or a file name.
 */
const rejected: ReadonlyArray<readonly [word: string, pattern: RegExp, instead: string]> = [
	["whoever, whom", /\bwho(?:m|ever|soever)\b/i, "name the subject: a caller, a user, a process"],
	["nobody", /\bnobody\b/i, "no user, no process, cannot, not found"],
	["Who at the start of a sentence", /(?:["*.:;|] |^)Who(?:se)?\b(?![^.|]*\?)/m, "name the subject"],
	["who without its noun", /\b(?:to|by|for|of|from|with) who\b|\btest\("who\b/, "name the subject"],
	["deed", /(?:\bd|D)eeds?(?![a-z])/, "action, audit action"],
	["mend", /(?:\bm|M)end(?:s|ed|ing)?(?![a-z])/, "repair, retry"],
	["misfit", /misfit/i, "invalid event"],
	["hear", /(?:\bh|H)ear(?:s|d|ing)?(?![a-z])/, "subscribe, receive, on…"],
	["tell", /(?:\bt|T)(?:old|ell(?:s|ing)?)(?![a-z])/, "publish, notify, receive, report"],
	[
		"stands",
		/(?:\bs|S)tand(?:s|ing(?![ _-]?[Oo]rders?(?![a-z])|Order))(?![a-z])/,
		"isCurrent, status, state",
	],
	[
		"turn for a lease",
		/\b(?:the|a|its|their|whose|each|every|next|no|had|has) turns?\b/i,
		"lease, attempt, iteration",
	],
	["held-x", /\bheld(?:-[a-z]|[A-Z])|Held(?![a-z])/, "cached, locked, parked, leased"],
	["sweep", /(?:(?<!\.)\bs|S)weep(?:s|er|ers|ing)?(?![a-z])|\bswept\b/, "recovery scan"],
	["wish", /(?:\bw|W)ish(?:es|ed)?(?![a-z])/, "request, options"],
	[
		"trail for a request context",
		/(?<!\baudit )\b[Tt]rails?\b|\b[Oo](?:n|ff)Trail|[a-z]Trail(?![a-z])/,
		"request context",
	],
	["is none", /(?<!\b[Tt]here )\b(?:is|are|was|were|be) none\b/i, "not found, not a …"],
	[
		"is no",
		/(?<!\b[Tt]here )\b(?:is|are|was) no (?!longer\b|more than\b|less than\b)/,
		"is not a …, there is no …",
	],
	["put off", /\bput(?:s|ting)? off\b/i, "failed, will retry"],
	["be had", /\b(?:be|been|being) had\b/i, "be fetched, be read, be available"],
	["found by that", /\bfound by that\b/i, "No matches."],
	["looked after", /\blook(?:s|ed|ing)? after\b/i, "check, refresh"],
	["at hand", /\bat hand\b/i, "cached, available"],
	["turned away", /\bturn(?:s|ed|ing)? away\b/i, "refuse, reject"],
	["under way", /\bunder way\b|\bisUnderWay\b/, "in progress, in flight"],
	["trouble, go on (identifiers)", /\bonTrouble|\bmayGoOn/, "onError, mayContinue"],
	["anew", /\banew\b/i, "again"],
	["goes on", /\bgoes on\b/i, "continues"],
	["of its own accord", /\bof its own accord\b/i, "by itself"],
];

test.each(rejected)(
	'the word "%s" is not used in the folders already rewritten',
	(_word, pattern, instead) => {
		const found = checked.flatMap((path) => {
			const prose = proseOf(path);
			const match = pattern.exec(prose);
			return match === null
				? []
				: [`${path}: …${prose.slice(Math.max(0, match.index - 40), match.index + 60)}…`];
		});
		expect(found, `write instead: ${instead}`).toEqual([]);
	},
);

test("a comment is no longer than a line of the formatter", () => {
	const lineMax = 110;
	const long = checked
		.filter((path) => /\.tsx?$/.test(path))
		.flatMap((path) =>
			readFileSync(join(root, path), "utf8")
				.split("\n")
				.filter((line) => /^\s*(?:\*|\/\*\*|\/\/)/.test(line) && !line.includes("://"))
				.filter((line) => line.replaceAll("\t", "  ").length > lineMax)
				.map((line) => `${path}: ${line.trim()}`),
		);
	expect(long, "wrap it").toEqual([]);
});

test("every folder of the list exists", () => {
	expect(cleanFolders.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
