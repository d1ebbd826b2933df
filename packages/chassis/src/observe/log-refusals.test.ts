import { TokenRefused } from "@lango/tokens";
import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { chassisFailures } from "../request/failure.ts";
import { createRefusalLog } from "./log-refusals.ts";

function openLog() {
	const lines: Array<{ level: string; what: Record<string, unknown>; text: string }> = [];
	const write = (level: string) => (what: Record<string, unknown>, text: string) =>
		void lines.push({ level, what, text });
	const request = { log: { info: write("info"), warn: write("warn") } } as unknown as FastifyRequest;
	let now = 0;
	const log = createRefusalLog(() => now);
	return {
		lines,
		refuse: (failure: Parameters<typeof log>[0]) => log(failure, request),
		wait: (ms: number) => {
			now += ms;
		},
	};
}
const rejected = (reason: "expired" | "signature") =>
	chassisFailures.token_invalid({ cause: new TokenRefused(reason) });

test("a rejected token is one short line without a stack", () => {
	const { lines, refuse } = openLog();
	refuse(rejected("expired"));
	expect(lines).toEqual([
		{ level: "info", what: { refusal: "token_invalid", reason: "expired" }, text: "credential rejected" },
	]);
});

test("each reason has ten lines per minute, and the next line counts the suppressed ones", () => {
	const { lines, refuse, wait } = openLog();
	for (let one = 0; one < 50; one += 1) refuse(rejected("expired"));
	refuse(rejected("signature"));
	expect(lines).toHaveLength(11);
	wait(60_000);
	refuse(rejected("expired"));
	refuse(rejected("expired"));
	expect(lines.slice(11).map(({ what }) => what["suppressed"])).toEqual([40, undefined]);
});

test("an outage keeps its stack and has sixty lines per minute", () => {
	const { lines, refuse } = openLog();
	const cause = new Error("connection refused");
	for (let one = 0; one < 100; one += 1) refuse(chassisFailures.unavailable({ cause }));
	expect(lines).toHaveLength(60);
	expect(lines[0]).toEqual({ level: "warn", what: { err: cause, refusal: "unavailable" }, text: "refused" });
});

test("the number of reasons that are counted is bounded", () => {
	const { lines, refuse } = openLog();
	for (let one = 0; one < 1_000; one += 1)
		refuse(chassisFailures.token_invalid({ cause: new Error(`reason ${one}`) }));
	expect(lines).toHaveLength(1_000);
	for (let one = 0; one < 20; one += 1)
		refuse(chassisFailures.token_invalid({ cause: new Error("reason 999") }));
	expect(lines).toHaveLength(1_009);
});
