import { randomUUID } from "node:crypto";
import { type Context, SettingsError, type SettingsOf } from "@lango/chassis";
import type { SandboxAnswer } from "./billing/sandbox.store.ts";
import type { Clock } from "./clock/tenant-time.ts";
import type { settings } from "./config.ts";
import type { UsageNow } from "./quotes/quote.ts";
import { materialise } from "./subscriptions/materialise.ts";

/** What changing subscriptions works with beside the database. */
export type Surroundings = {
	clock: Clock;
	mint: () => string;
	/** How the sandbox answers what is to be paid; undefined: a treasury does. */
	usual: SandboxAnswer | undefined;
	usageNow: UsageNow;
};

const tenantsAtOnce = 100;

/** Opens the clock and the sandbox, and has what falls due looked for. Throws SettingsError for a sandbox in production. */
export function openSurroundings(context: Context<(typeof settings)["table"]>): Surroundings {
	const { db, now, log } = context;
	const { nodeEnv, sandboxBilling, materialiseSeconds } = context.settings as SettingsOf<
		(typeof settings)["table"]
	>;
	const isProduction = nodeEnv === "production";
	if (isProduction && sandboxBilling !== undefined && sandboxBilling !== "off")
		throw new SettingsError([
			"SUBSCRIPTIONS_SANDBOX_BILLING is for a developer's machine: unset it in production",
		]);
	const answer = sandboxBilling ?? (isProduction ? "off" : "pays");
	const clock: Clock = { now, hasTestClocks: !isProduction };
	every(context, materialiseSeconds, () =>
		materialise(
			{ db, clock, mint: randomUUID },
			{
				now: now(),
				limit: tenantsAtOnce,
				onError: (err, tenantId) => log.error({ err, tenantId }, "what fell due was not done"),
			},
		),
	);
	return {
		clock,
		mint: randomUUID,
		usual: answer === "off" ? undefined : answer,
		usageNow: async () => ({}),
	};
}

/** Again and again while the service runs, never twice at once; a failure is logged and tried again next time. */
function every(
	{ log, onStop }: Pick<Context, "log" | "onStop">,
	seconds: number,
	work: () => Promise<unknown>,
): void {
	let underWay: Promise<unknown> | undefined;
	const turn = () => {
		underWay ??= work()
			.catch((err) => log.error({ err }, "what fell due was not looked for"))
			.finally(() => {
				underWay = undefined;
			});
	};
	const timer = setInterval(turn, seconds * 1_000);
	onStop(async () => {
		clearInterval(timer);
		await underWay;
	});
}
