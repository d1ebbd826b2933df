import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { type Shop, type StormTill, someShops } from "./storm-till.ts";

type Row = Record<string, unknown>;

/** A charge of which only a half is paid is more than its fee. */
const least = 10_000;

const list = async (till: StormTill, shop: Shop, path: string): Promise<Row[]> => {
	const { body } = await till.ask(shop, `GET ${path}`);
	return (body["items"] ?? []) as Row[];
};

/** A shop at which a card has paid makes a plan, and charges the card by it every day. */
export async function subscribe(till: StormTill, first: Shop, nth: number): Promise<void> {
	for (const shop of someShops(till, first)) {
		const cards = await list(till, shop, "card-authorizations");
		const card = cards[nth % Math.max(1, cards.length)];
		if (card !== undefined) return chargeDaily(till, shop, { nth, card });
	}
}

async function chargeDaily(
	till: StormTill,
	shop: Shop,
	{ nth, card }: { nth: number; card: Row },
): Promise<void> {
	const terms = { interval: "daily", amount_minor: least + (nth % 9) * 100, currency: "KES" };
	const { body } = await till.ask(shop, "POST plans", { body: { name: `Plan ${nth}`, ...terms } });
	const asked = { plan_id: body["id"], authorization_id: card["id"] };
	if (typeof body["id"] === "string") await till.ask(shop, "POST card-subscriptions", { body: asked });
}

/** A shop stops the card subscription that it made last. */
export async function unsubscribe(till: StormTill, shop: Shop): Promise<void> {
	const [running] = await list(till, shop, "card-subscriptions?status=active&limit=1");
	if (running !== undefined)
		await till.ask(shop, `POST card-subscriptions/${running["id"]}/disable`, { body: {} });
}

/** A shop lets the card subscription that it stopped last charge its card again. */
export async function resume(till: StormTill, first: Shop): Promise<void> {
	for (const shop of someShops(till, first))
		for (const status of ["non_renewing", "disabled"]) {
			const [stopped] = await list(till, shop, `card-subscriptions?status=${status}&limit=1`);
			if (stopped === undefined) continue;
			await till.ask(shop, `POST card-subscriptions/${stopped["id"]}/enable`, { body: {} });
			return;
		}
}

/** Somebody pays at the page of a shop, which is made the first time. */
export async function payAtPage(till: StormTill, shop: Shop, nth: number): Promise<void> {
	const pages = await list(till, shop, "payment-pages");
	const page = pages.find(({ link }) => typeof link === "string") ?? (await makePage(till, shop));
	if (typeof page["link"] !== "string") return;
	const form = new URLSearchParams({
		email: `guest-${nth}@example.com`,
		amount: String(least / 100 + (nth % 20)),
	});
	const opened = await fetch(page["link"], { method: "POST", body: form, redirect: "manual" });
	const accessCode = opened.headers.get("location")?.split("/").at(-1);
	await payCheckout(till, accessCode ?? "");
}

async function makePage(till: StormTill, shop: Shop): Promise<Row> {
	const body = { name: "School fees", description: "Term one", currency: "KES" };
	return (await till.ask(shop, "POST payment-pages", { body })).body;
}

const payCheckout = (till: StormTill, accessCode: string) =>
	till.cards("POST", `/_control/checkouts/${accessCode}`, { action: "pay", channel: "card" });

/** A charge of the card gateway that the treasury did not ask for. */
export async function payElsewhere(till: StormTill, reference: string): Promise<void> {
	const charge = { amount: 50_000, email: "guest@example.com", reference };
	const { data } = await fetch(`${till.urls.cards}/transaction/initialize`, {
		method: "POST",
		headers: { authorization: `Bearer ${defaultSecretKey}`, "content-type": "application/json" },
		body: JSON.stringify(charge),
	}).then(
		async (opened) => (await opened.json()) as { data?: { access_code: string } },
		() => ({ data: undefined }),
	);
	if (data !== undefined) await payCheckout(till, data.access_code);
}
