/** A process that calls gateways as operations of the treasury do, for its bench. */
import { setTimeout as sleep } from "node:timers/promises";
import { createLog, Secret } from "@lango/chassis";
import { type Database, openPool } from "@lango/postgres";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { testTenant } from "@lango/testkit";
import { readKeyEncryptionKeys } from "@lango/tokens";
import type {
	Called,
	CallingMessage,
	CallingPlace,
	CallingRun,
	SandboxUrls,
} from "../../../../bench/treasury/calling.ts";
import {
	type CallGateway,
	createCallGateway,
	type GatewayCall,
} from "../../src/gateways/calls/call-gateway.ts";
import { requireAccepted } from "../../src/gateways/calls/require-accepted.ts";
import { initializeTransaction, verifyTransaction } from "../../src/gateways/card-gateway/transactions.ts";
import { queryPush, startPush } from "../../src/gateways/mobile-money/push.ts";
import { type Gateways, openGateways } from "../../src/gateways/open-gateways.ts";
import { changeProfile, ensureProfile } from "../../src/gateways/profiles/profile.store.ts";
import { admitShortcodes, newPhone, settingsOf } from "../till.ts";

const nowhere = { write: () => undefined };
/** The request of the last call: a bare call sends the same. */
let last: GatewayCall | undefined;
type Ask = () => Promise<unknown>;
let asks: Record<keyof SandboxUrls, Ask> | undefined;

async function open({ urls, databaseUrl, connections }: CallingPlace): Promise<typeof asks> {
	const { mobileMoney, cards } = urls;
	const db = openPool({ url: databaseUrl, name: "bench", sizeMax: connections });
	const log = createLog("treasury", "info", nowhere);
	const callGateway = createCallGateway({ log, isPublicOnly: false, db });
	const call: CallGateway = (asked, read) => {
		if (asked.operation !== "token") last = asked;
		return callGateway(asked, read);
	};
	const now = () => new Date();
	for (const [kind, baseUrl] of [
		["mobile_money", mobileMoney],
		["card_gateway", cards],
	] as const) {
		await ensureProfile(db, kind, { environment: "sandbox", baseUrl, now: now() });
		const change = { environment: "sandbox" as const, baseUrl, settings: { per_second: 10_000 } };
		await changeProfile(db, kind, { change, now: now() });
	}
	const { TREASURY_KEY_ENCRYPTION_KEYS = "" } = settingsOf({ mobileMoneyUrl: "", cardsUrl: "", url: "" });
	const settings = { cardgwSecretKey: new Secret(defaultSecretKey), cardgwWebhookSecret: undefined };
	const keys = readKeyEncryptionKeys(TREASURY_KEY_ENCRYPTION_KEYS);
	const gateways = openGateways({ ...{ db, now, keys, call, settings } });
	return {
		mobileMoney: await openPrompt({ db, gateways }, mobileMoney),
		cards: await openCheckout(gateways),
	};
}

/** A prompt that was paid, about which the gateway is asked again and again. */
async function openPrompt({ db, gateways }: { db: Database; gateways: Gateways }, url: string): Promise<Ask> {
	const names = ["uhai", "kahawa", "duka", "lango"] as const;
	const tenants = Object.fromEntries(names.map((name) => [name, testTenant(name)])) as Record<
		(typeof names)[number],
		ReturnType<typeof testTenant>
	>;
	await admitShortcodes(
		{ database: { db } as never, tenants, subscriptions: { records: new Map() } as never },
		url,
	);
	const { id } = tenants.uhai;
	const started = await startPush(await gateways.requireMobileMoney(id), {
		...{ amountMinor: 10_000n, phone: newPhone("accepts"), accountReference: "BENCH", description: "Bench" },
		callbackUrl: `${url}/healthz`,
	});
	const { checkoutRequestId } = requireAccepted(started).ids;
	const ask = async () => queryPush(await gateways.requireMobileMoney(id), checkoutRequestId);
	while ((await ask()).is !== "accepted") await sleep(100);
	return async () => requireAccepted(await ask());
}

/** A checkout that is not paid, which is verified again and again. */
async function openCheckout(gateways: Gateways): Promise<Ask> {
	const reference = `pay-${"b".repeat(32)}`;
	requireAccepted(
		await initializeTransaction(await gateways.requireCardGateway(), {
			...{ amountMinor: 100_000n, currency: "KES", email: "amina@bench.example", reference },
			...{ callbackUrl: "http://localhost:9/", channels: ["card"] },
			metadata: { tenant_id: "bench", source_service: "bench", order_id: "bench" },
		}),
	);
	return async () => requireAccepted(await verifyTransaction(await gateways.requireCardGateway(), reference));
}

/** The same request without the treasury, over a connection that stays open. */
async function callBare({ profile, path, method, headers, json }: GatewayCall): Promise<void> {
	const response = await fetch(`${profile.baseUrl}${path}`, {
		...{ method, headers: { "content-type": "application/json", ...headers } },
		...(json !== undefined && { body: JSON.stringify(json) }),
	});
	if (!response.ok) throw new Error(`a bare call of ${path} was answered with ${response.status}`);
	JSON.parse(await response.text());
}

async function callBoth(ask: Ask, { ours, bare }: Called): Promise<void> {
	const began = performance.now();
	await ask();
	ours.push(performance.now() - began);
	if (last === undefined) throw new Error("nothing was called");
	const same = last;
	const from = performance.now();
	await callBare(same);
	bare.push(performance.now() - from);
}

async function drive({ gateway, perSecond, seconds }: CallingRun): Promise<Called> {
	const ask = asks?.[gateway];
	if (ask === undefined) throw new Error("the sandboxes are not known yet");
	const called: Called = { ours: [], bare: [] };
	const starts = performance.now();
	const ends = starts + seconds * 1_000;
	const begun: Array<Promise<void>> = [];
	for (let n = 1; performance.now() < ends; n += 1) {
		const one = callBoth(ask, called);
		begun.push(one);
		if (perSecond === undefined) await one;
		else await sleep(Math.max(0, starts + (n * 1_000) / perSecond - performance.now()));
	}
	await Promise.all(begun);
	return called;
}

process.on("message", async (message: CallingMessage) => {
	try {
		if ("urls" in message) asks = await open(message);
		process.send?.({ result: "urls" in message ? undefined : await drive(message) });
	} catch (error) {
		process.send?.({ error: error instanceof Error ? error.message : String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
