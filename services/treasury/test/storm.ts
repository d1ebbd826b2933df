import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { PublicTenant } from "@lango/contracts";
import { inTenant, openPool } from "@lango/postgres";
import { addTenant } from "@lango/testkit";
import { payUrlOf } from "../src/payments/pay-code.ts";
import { addBill, keys } from "./add-bill.ts";
import { type Faults, rounds } from "./storm-faults.ts";
import { compare, type Storm } from "./storm-truth.ts";
import { giveShortcode, openTill, type Till } from "./till.ts";

/** A till whose shops ask for payments, and pay bills of the platform. */
export type StormTill = Till & { shops: readonly PublicTenant[] };

type Request = { nth: number; code: string };

/** How far a storm is. */
type Progress = { round: number; what: string; paid: number };

/** Starts a till with so many shops, every second one with a paybill, the others with a till. */
export async function openStorm({ shops: count = 4, hasWorkers = false } = {}): Promise<StormTill> {
	const till = await openTill({ TREASURY_DATABASE_CONNECTIONS_MAX: "20" }, { hasWorkers });
	const shops: PublicTenant[] = [];
	for (let nth = 0; nth < count; nth += 1) {
		const tenant = addTenant(till, `shop-${nth}`, { outlets: [{ id: randomUUID(), code: "MAIN" }] });
		const account = { shortcode: String(610_000 + nth), kind: nth % 2 === 0 ? "paybill" : "till" } as const;
		await till.sandbox("PUT", "/_control/shortcodes", [account] as object);
		await giveShortcode(till.database.db, tenant, account);
		shops.push(tenant);
	}
	for (const tenant of [till.tenants.lango, ...shops]) await till.registerUrls(tenant);
	return { ...till, shops };
}

/** Two days, as steps of seconds between the times at which gateways are asked. */
const ladder = [25, 30, 60, 240, 900, 3_600, 21_600, 90_000, 90_000];
/** How often it is checked whether anything is still to be done. */
const checkMs = 100;
const lifeMs = 90 * 86_400_000;
/** After so many, the progress is reported and the log is emptied. */
const waveMax = 500;

type Options = {
	bills: number;
	/** So many payers pay at once. */
	payers?: number;
	onProgress?: (progress: Progress) => void;
};

/**
 * Asks for so many payments, every second one for the platform, and lets phones and cards pay them under the
 * faults of each round; then the clock moves until nothing is open. Returns how the ledgers of the sandboxes
 * and ours differ.
 */
export async function runStorm(
	till: StormTill,
	{ bills, payers = 8, onProgress = () => {} }: Options,
): Promise<Storm> {
	await till.database.db.query(`update gateway_profiles set settings = settings || '{"per_second": 10000}'`);
	await keepEvents(till);
	const requests = await ask(till, bills);
	let paid = 0;
	for (const [at, faults] of rounds.entries()) {
		const report = (what: string) => onProgress({ round: at + 1, what, paid });
		await setFaults(till, faults);
		const ofRound = requests.filter(({ nth }) => nth % rounds.length === at);
		for (let from = 0; from < ofRound.length; from += waveMax) {
			const wave = ofRound.slice(from, from + waveMax);
			await payAll(till, wave, payers);
			till.logged.length = 0;
			paid += wave.length;
			report("payers pay");
		}
		await passTime(till, report);
	}
	return compare(till);
}

const keptEvents = [
	"create function keep_event() returns trigger language plpgsql as $$ begin return null; end $$",
	"create trigger keep_event before delete on outbox for each row execute function keep_event()",
	"create index on outbox ((envelope->'data'->>'intent_id'), (envelope->>'type'))",
];

/** Published events are removed after a day; here all of them stay, and are found by their object. */
async function keepEvents({ database: { ownerUrl } }: Till): Promise<void> {
	const owner = openPool({ url: ownerUrl, name: "storm", sizeMax: 1 });
	try {
		for (const text of keptEvents) await owner.query(text);
	} finally {
		await owner.close();
	}
}

/** Does work for each item, several at once. */
async function forEachAtOnce<T>(
	items: readonly T[],
	atOnce: number,
	work: (item: T) => Promise<void>,
): Promise<void> {
	const left = items.values();
	const next = async () => {
		for (const item of left) await work(item);
	};
	await Promise.all(Array.from({ length: atOnce }, next));
}

async function ask(till: StormTill, bills: number): Promise<Request[]> {
	const requests: Request[] = [];
	await forEachAtOnce(
		Array.from({ length: bills }, (_, nth) => nth),
		8,
		async (nth) => {
			const shop = till.shops[Math.floor(nth / 2) % till.shops.length];
			if (shop === undefined) throw new Error("a storm has shops");
			const { id } = shop;
			const asked = {
				payee: nth % 2 === 0 ? ("platform" as const) : ("tenant" as const),
				amountMinor: BigInt(10_000 + (nth % 500) * 100),
				expiresAt: new Date(Date.now() + lifeMs),
			};
			const intent = await inTenant(till.database.db, id, (tx) => addBill(tx, id, asked));
			const code = payUrlOf(intent, { keys, settings: { consoleUrl: "" } }).slice("/pay/".length);
			requests[nth] = { nth, code };
		},
	);
	return requests;
}

async function setFaults(till: Till, { mobileMoney, cards }: Faults): Promise<void> {
	await till.sandbox("PUT", "/_control/faults", mobileMoney as object);
	await till.cards("PUT", "/_control/faults", cards as object);
}

/** Pays several requests at once, while what arrives is applied. */
async function payAll(till: Till, requests: readonly Request[], payers: number): Promise<void> {
	let isPaying = true;
	const paying = forEachAtOnce(requests, payers, (request) => pay(till, request)).finally(() => {
		isPaying = false;
	});
	while (isPaying) await Promise.all([till.workDue(), sleep(checkMs)]);
	await paying;
}

const post = (till: Till, path: string, body: object) =>
	till.call({ method: "POST", url: `/api/v1/pay/${path}`, body });

/** No two prompts are for the same phone. What its owner does follows from its last digits. */
const push = (till: Till, request: Request, owner: string) =>
	post(till, `${request.code}/push`, { phone: `2547${String(request.nth).padStart(5, "0")}${owner}` });

/** Pays at the page of the gateway. Half of the browsers come back. */
async function checkOut(till: Till, { nth, code }: Request, action: string): Promise<void> {
	const { body } = await post(till, `${code}/checkout`, { email: "amina@example.com" });
	if (typeof body["access_code"] !== "string") return;
	const answer = await fetch(`${till.cardGateway.url}/checkout/${body["access_code"]}`, {
		...{ method: "POST", redirect: "manual" as const },
		body: new URLSearchParams({ action, channel: "card" }),
	});
	await answer.text();
	const address = answer.headers.get("location") ?? "";
	const comesBack = Math.floor(nth / 6) % 2 === 0 && address.startsWith("http");
	if (comesBack) await (await fetch(address, { redirect: "manual" })).text();
}

/** Pays by phone, by card or by both, or does not pay. */
async function pay(till: Till, request: Request): Promise<void> {
	const way = Math.floor(request.nth / rounds.length) % 10;
	if (way === 9) return checkOut(till, request, "decline");
	const owner = ({ 7: "032", 8: "037" } as Record<number, string>)[way] ?? "001";
	if (way < 4 || way > 5) await push(till, request, owner);
	if (way >= 4 && way <= 6) await checkOut(till, request, "pay");
}

async function passTime(till: Till, report: (what: string) => void): Promise<void> {
	await settle(till, 6);
	for (const seconds of ladder) {
		await till.wait(seconds);
		await settle(till, 1);
		report(`${seconds} s pass`);
	}
	await settle(till, 6);
}

/** Waits until no callback is being sent and no job is due, at so many checks in a row. */
export async function settle(till: Till, checks: number): Promise<void> {
	for (let quiet = 0; quiet < checks; ) {
		const ran = await till.workDue();
		const sent = await Promise.all([
			till.sandbox("GET", "/_control/deliveries?limit=1"),
			till.cards("GET", "/_control/deliveries?limit=1"),
		]);
		const isSending = sent.some(({ waiting }) => Number(waiting) > 0);
		quiet = isSending || ran > 0 ? 0 : quiet + 1;
		if (quiet < checks) await sleep(checkMs);
	}
}
