import { randomUUID } from "node:crypto";
import { admitSettingKey } from "@lango/access";
import { type Context, hearRevocations, SettingsError, type SettingsOf } from "@lango/chassis";
import { createVerifier, readApiKey, remoteKeySet } from "@lango/tokens";
import type { SandboxAnswer } from "./billing/sandbox.store.ts";
import { seedCatalogue } from "./catalogue/seed-catalogue.ts";
import type { Clock } from "./clock/tenant-time.ts";
import type { settings } from "./config.ts";
import type { PipelineParts } from "./pipeline.ts";
import type { UsageNow } from "./quotes/quote.ts";
import { materialise } from "./subscriptions/materialise.ts";
import type { CountingParts } from "./usage/counting.ts";
import { readLimitsUsed } from "./usage/read-usage.ts";
import { createUsage } from "./usage/usage-parts.ts";

/** What the routes and events of this service work with. */
export type Dependencies = PipelineParts & {
	clock: Clock;
	mint: () => string;
	/** How the sandbox answers what is to be paid; undefined: a treasury does. */
	usual: SandboxAnswer | undefined;
	usageNow: UsageNow;
	usage: CountingParts;
};

const tenantsAtOnce = 100;

type Given = SettingsOf<(typeof settings)["table"]>;

/** Brings the catalogue in, opens the clock and the sandbox, and has what falls due looked for. */
export async function openDependencies(context: Context<(typeof settings)["table"]>): Promise<Dependencies> {
	const { settings: given, db, now } = context;
	const { apiKey, authUrl, jwksUrl, audience, platformOwnerSlug } = given;
	const key = readApiKey(apiKey.reveal());
	if (key === undefined) throw new Error("the settings let a malformed API key pass");
	const billing = readBilling(given);
	await seedCatalogue(db);
	await admitSettingKey(db, { key, now: now() });
	const keys = remoteKeySet({ url: jwksUrl ?? `${authUrl}/.well-known/jwks.json`, now });
	// No key has this name: asking for it fetches the set when none is at hand, and fails only when none can be had.
	context.readyWhen("keys", async () => void (await keys.find("")));
	const verifier = createVerifier({
		issuer: authUrl,
		audiences: [audience],
		keys,
		now,
		isRevoked: await hearRevocations(context),
	});
	const clock: Clock = { now, hasTestClocks: billing.hasTestClocks };
	const usage = createUsage(context, clock);
	lookForDue(context, { clock, seconds: given.materialiseSeconds });
	return {
		db,
		now,
		verifier,
		platformOwnerSlug,
		clock,
		mint: randomUUID,
		usual: billing.usual,
		usageNow: (tenantId) => readLimitsUsed(usage, tenantId),
		usage,
	};
}

/** Throws SettingsError for a sandbox in production. */
function readBilling({ nodeEnv, sandboxBilling }: Given): {
	hasTestClocks: boolean;
	usual: SandboxAnswer | undefined;
} {
	const isProduction = nodeEnv === "production";
	if (isProduction && sandboxBilling !== undefined && sandboxBilling !== "off")
		throw new SettingsError([
			"SUBSCRIPTIONS_SANDBOX_BILLING is for a developer's machine: unset it in production",
		]);
	const answer = sandboxBilling ?? (isProduction ? "off" : "pays");
	return { hasTestClocks: !isProduction, usual: answer === "off" ? undefined : answer };
}

function lookForDue(
	context: Context<(typeof settings)["table"]>,
	{ clock, seconds }: { clock: Clock; seconds: number },
): void {
	const { db, log } = context;
	const onError = (err: unknown, tenantId: string) =>
		log.error({ err, tenantId }, "what fell due was not done");
	const changing = { db, clock, mint: randomUUID };
	every(context, seconds, () => materialise(changing, { now: clock.now(), limit: tenantsAtOnce, onError }));
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
