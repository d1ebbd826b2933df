import { setTimeout as sleep } from "node:timers/promises";
import { inTenant } from "@lango/postgres";
import { payUrlOf } from "../../src/payments/pay-code.ts";
import { addBill, keys } from "../add-bill.ts";
import { isToRepeat, type StormTill } from "./storm-till.ts";

/** A request to pay, with the code of its page and what payers type at a counter. */
export type Request = { nth: number; code: string; accountCode: string };

const lifeMs = 90 * 86_400_000;

/** Does work for each item, several at once. */
export async function forEachAtOnce<T>(
	items: Iterable<T>,
	atOnce: number,
	work: (item: T) => Promise<void>,
): Promise<void> {
	const left = items[Symbol.iterator]();
	const next = async () => {
		for (let one = left.next(); one.done !== true; one = left.next()) await work(one.value);
	};
	await Promise.all(Array.from({ length: atOnce }, next));
}

/** Asks for so many payments, numbered from one on: shops in turn, every second one for the platform. */
export async function ask(
	till: StormTill,
	{ from, count }: { from: number; count: number },
): Promise<Request[]> {
	const requests: Request[] = [];
	const now = till.now();
	const all = Array.from({ length: count }, (_, at) => from + at);
	await forEachAtOnce(all, 8, async (nth) => {
		const shop = till.shops[Math.floor(nth / 2) % till.shops.length];
		if (shop === undefined) throw new Error("a storm has shops");
		const asked = {
			payee: nth % 2 === 0 ? ("platform" as const) : ("tenant" as const),
			amountMinor: BigInt(10_000 + (nth % 500) * 100),
			...{ now, expiresAt: new Date(now.getTime() + lifeMs) },
		};
		const intent = await inTenant(till.database.db, shop.id, (tx) => addBill(tx, shop.id, asked));
		const code = payUrlOf(intent, { keys, settings: { consoleUrl: "" } }).slice("/pay/".length);
		requests[nth - from] = { nth, code, accountCode: intent.accountCode };
	});
	till.asked.bills += count;
	return requests;
}

/** Numbers that follow each other become such as do not, so that no shop has only some kinds of payments. */
export const mix = (nth: number): number => (Math.imul(nth + 1, 2_654_435_761) >>> 0) % 1_000_003;

const triesMax = 90;

/** A payer tries again while the service does not run. */
async function post(till: StormTill, path: string, body: object): Promise<Record<string, unknown>> {
	for (let tries = 1; ; tries += 1) {
		const answer = await till.call({ method: "POST", url: `/api/v1/pay/${path}`, body });
		if (!isToRepeat(answer) || tries === triesMax) return answer.body;
		await sleep(1_000);
	}
}

/** No two prompts are for the same phone. What its owner does follows from its last digits. */
const push = (till: StormTill, { nth, code }: Request, owner: string) =>
	post(till, `${code}/push`, { phone: `2547${String(nth).padStart(5, "0")}${owner}` });

/** Of payers. The refunds of two of them fail, or wait until their bank ends them. */
const mailboxes = ["amina", "refund-fails", "amina", "refund-waits", "amina"];

/** Of some payers. Each of the second one is refused after its first payment, by a card subscription. */
const cardNumbers = ["4084 0840 8408 4081", "4084 0840 8408 0341", "4084 0840 8408 4081"];

/** Pays at the page of the gateway. Half of the browsers come back. */
async function checkOut(till: StormTill, { nth, code }: Request, action: string): Promise<void> {
	const email = `${mailboxes[Math.floor(nth / 10) % mailboxes.length]}@example.com`;
	const body = await post(till, `${code}/checkout`, { email });
	if (typeof body["access_code"] !== "string") return;
	const card_number = cardNumbers[Math.floor(nth / 10) % cardNumbers.length] ?? "";
	const answer = await fetch(`${till.urls.cards}/checkout/${body["access_code"]}`, {
		...{ method: "POST", redirect: "manual" as const },
		body: new URLSearchParams({ action, channel: "card", card_number }),
	});
	await answer.text();
	const address = answer.headers.get("location") ?? "";
	const comesBack = Math.floor(nth / 6) % 2 === 0 && address.startsWith("http");
	if (!comesBack) return;
	await fetch(address, { redirect: "manual" }).then(
		(response) => response.text(),
		() => undefined,
	);
}

/** Pays by phone, by card or by both, or does not pay. */
export async function pay(till: StormTill, request: Request, nth: number): Promise<void> {
	const way = mix(nth) % 10;
	if (way === 9) return checkOut(till, request, "decline");
	const owner = ({ 7: "032", 8: "037" } as Record<number, string>)[way] ?? "001";
	if (way < 4 || way > 5) await push(till, request, owner);
	if (way >= 4 && way <= 6) await checkOut(till, request, "pay");
}
