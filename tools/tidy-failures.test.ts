/**
 * The console says in plain words why a payment, a payout or a refund failed, whatever its code. How long to
 * wait is counted down, and said nowhere else.
 */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { pushTexts } from "../sandbox/mobile-money/src/push/prompt.ts";
import { resultTexts } from "../sandbox/mobile-money/src/requests/result.ts";
import { notSent } from "../services/treasury/src/gateways/calls/guard-calls.ts";

type Failed = "payment" | "moneyOut";
type Code = readonly [failed: Failed, code: string];
type Texts = { other: (code: string) => string };
type Reasons = { reasonOf: (texts: Texts, failed: Failed, code: string) => string };

const root = resolve(import.meta.dirname, "..");
const words = join(root, "apps/console/src/failure-codes");
const { tables } = (await import(join(words, "texts.ts"))) as { tables: Record<"en" | "sw", Texts> };
const { reasonOf } = (await import(join(words, "failure-reason.ts"))) as Reasons;

const source = join(root, "services/treasury/src");
const read = (path: string) => readFileSync(join(source, path), "utf8");
const both = ["payment", "moneyOut"] as const;

/** What the codes of a file are about. */
function failedIn(path: string): readonly Failed[] {
	if (path.startsWith("gateways/")) return both;
	return /^(?:inbox|paying-out|refunding|refunds)\//.test(path) ? ["moneyOut"] : ["payment"];
}

/** How the treasury writes a code of its own. */
const literal =
	/, code: "([a-z_]+)"|(?<!\.)\brefused\("([a-z_]+)"|\b(?:resolvedCode|noAnswer) = "([a-z_]+)"|failureCode \?\? "([a-z_]+)"|code: [^"\n]* \? "([a-z_]+)"/g;

const wordsIn = (text: string, from: string): string[] => {
	const [, rest = ""] = text.split(from);
	return [...rest.slice(0, rest.indexOf(";")).matchAll(/"(\w+)"/g)].map(([, word = ""]) => word);
};

const literals = globSync("**/*.ts", { cwd: source })
	.filter((path) => !path.endsWith(".test.ts"))
	.flatMap((path) => {
		const text = read(path);
		const found = [...text.matchAll(literal)].map(([, ...codes]) => codes.find(Boolean) ?? "");
		const codes = [...found, ...wordsIn(text, "const failedWords")];
		return failedIn(path).flatMap((failed) => codes.map((code): Code => [failed, code]));
	});

const reasons = wordsIn(read("payments/intent-events.ts"), "export type FailureReason");
const ofTransfers = [...read("gateways/card-gateway/said-by-transfer.ts").matchAll(/\t(\w+): failed,/g)];
const [, ofSandbox = ""] =
	/sandboxReason = "(\w+)"/.exec(
		readFileSync(join(root, "services/subscriptions/src/billing/sandbox.ts"), "utf8"),
	) ?? [];

const codes: readonly Code[] = [
	...literals,
	...both.flatMap((failed) => Object.values(notSent).map((code): Code => [failed, code])),
	...[...reasons, ofSandbox].map((code): Code => ["payment", code]),
	...ofTransfers.map(([, code = ""]): Code => ["moneyOut", code]),
	...Object.keys(pushTexts).map((code): Code => ["payment", code]),
	...Object.keys(resultTexts).map((code): Code => ["moneyOut", code]),
];

test("the codes of failures are found in the code", () => {
	expect([reasons.length, ofTransfers.length, ofSandbox]).toEqual([7, 3, "refused_by_sandbox"]);
	expect(literals.map(([, code]) => code)).toEqual(
		expect.arrayContaining([
			...["not_approved", "tenant_deleted", "recipient_removed", "resolved", "certificate_missing"],
			...["payment_disputed", "channel_unavailable", "not_sent", "timeout", "no_consent", "no_answer"],
			...["failed", "declined", "token_unavailable"],
		]),
	);
});

test.each(["en", "sw"] as const)("every code of a failure has words (%s)", (language) => {
	const texts = tables[language];
	const isSuccess = (code: string) => code === "0";
	const missing = codes.filter(
		([failed, code]) => !isSuccess(code) && reasonOf(texts, failed, code) === texts.other(code),
	);
	expect(missing).toEqual([]);
});

const kinds = globSync(["services/*/src/**/*.ts", "packages/*/src/**/*.ts"], { cwd: root })
	.map((path) => readFileSync(join(root, path), "utf8"))
	.flatMap((text) => [...text.matchAll(/\b(\w+): \[\s*"([a-z_]+)",/g)])
	.map(([, code = "", kind = ""]) => ({ code, isCounted: /^(?:unavailable|rate_limited)$/.test(kind) }));

/**
 * What is always answered with Retry-After: the chassis sends it for two kinds of failures, and prompts have
 * it. A code that is of another kind elsewhere is left out.
 */
const others = new Set(kinds.filter(({ isCounted }) => !isCounted).map(({ code }) => code));
const counted: ReadonlySet<string> = new Set([
	...kinds.map(({ code }) => code).filter((code) => !others.has(code)),
	...["prompt_live", "prompt_too_soon"],
]);

type Text = readonly [path: string, text: string];

function textsIn(table: object, path: string): Text[] {
	return Object.entries(table).flatMap(([key, value]): Text[] => {
		if (typeof value === "object" && value !== null) return textsIn(value, `${path} ${key}`);
		return counted.has(key.split(".")[0] ?? "") ? [[`${path} ${key}`, String(value)]] : [];
	});
}

test.each([
	["en", /\btry again\b|\bwait\b|\blater\b|\btomorrow\b/i],
	["sw", /\bjaribu\b|\bsubiri\b|\bbaadaye\b|\bkesho\b/i],
] as const)(
	"a message says nothing about the time that is counted down beside it (%s)",
	async (language, wait) => {
		const files = globSync("apps/console/src/**/texts.ts", { cwd: root });
		const texts = await Promise.all(
			files.map(async (path) => {
				const { tables: both } = (await import(join(root, path))) as { tables?: Record<string, object> };
				return textsIn(both?.[language] ?? {}, path);
			}),
		);
		expect(texts.flat().length).toBeGreaterThan(20);
		expect(texts.flat().filter(([, text]) => wait.test(text))).toEqual([]);
	},
);
