import { type Shop, type StormTill, someShops } from "./storm-till.ts";

async function payOut(till: StormTill, shop: Shop, body: object): Promise<void> {
	const asked = await till.ask(shop, "POST payouts", { body });
	if (asked.body["status"] !== "awaiting_approval") return;
	await till.ask(shop, `POST payouts/${asked.body["id"]}/approve`, { body: {}, by: "checker" });
}

/** A shop asks for all that is available. */
export const payOutAll = (till: StormTill, shop: Shop): Promise<void> =>
	payOut(till, shop, { rail: "card_gateway", recipient_id: shop.recipientId });

/** A shop asks for a part of what is available. */
export const payOutPart = (till: StormTill, shop: Shop): Promise<void> =>
	payOut(till, shop, { rail: "card_gateway", recipient_id: shop.recipientId, amount_minor: 20_000 });

const toPhone = (nth: number) => ({
	...{ rail: "mobile_money", kind: "customer", to: `2541${String(nth).padStart(8, "0")}` },
	...{ amount_minor: 1_000 + (nth % 7) * 100, remarks: "Wages" },
});

export const payPhone = (till: StormTill, shop: Shop, nth: number): Promise<void> =>
	payOut(till, shop, toPhone(nth));

/** A shop pays the paybill or the till of a supplier. */
export const payBusiness = (till: StormTill, shop: Shop, nth: number): Promise<void> =>
	payOut(till, shop, {
		...{ rail: "mobile_money", kind: "business", amount_minor: 2_000 + (nth % 5) * 100, remarks: "Flour" },
		...(nth % 2 === 0
			? { to: "600500", account: `INV-${nth}` }
			: { to: "600300", command: "MerchantToMerchantTransfer" }),
	});

export const payPersonalTill = (till: StormTill, shop: Shop, nth: number): Promise<void> =>
	payOut(till, shop, {
		...{ rail: "mobile_money", kind: "personal_till", to: "700100" },
		...{ amount_minor: 1_000 + (nth % 5) * 100, remarks: "Milk" },
	});

/** A shop moves money from its utility account to its working account. */
export const fillWorking = (till: StormTill, shop: Shop, nth: number): Promise<void> =>
	payOut(till, shop, {
		...{ rail: "mobile_money", kind: "own_working", amount_minor: 1_000 + (nth % 5) * 100 },
		remarks: "For suppliers",
	});

const perRequest = 4;
/** The first payout deducts the fees that are due. */
const feesMax = 12_000;

type Many = { nth: number; rail: "card_gateway" | "mobile_money" };

/** A shop that has enough asks for several payouts at once, to its bank account or to phones. */
export async function payMany(till: StormTill, first: Shop, many: Many): Promise<void> {
	for (const shop of someShops(till, first)) if (await requestMany(till, shop, many)) return;
}

async function requestMany(till: StormTill, shop: Shop, { nth, rail }: Many): Promise<boolean> {
	const items = Array.from({ length: perRequest }, (_, at) =>
		rail === "card_gateway"
			? { rail, recipient_id: shop.recipientId, amount_minor: at === 0 ? feesMax : 500 + at * 100 }
			: toPhone(10_000_000 + nth * perRequest + at),
	);
	const asked = await till.ask(shop, "POST payouts/bulk", { body: { items } });
	const batchId = asked.body["batch_id"];
	if (typeof batchId !== "string") return false;
	await till.ask(shop, `POST payouts/bulk/${batchId}/approve`, { body: {}, by: "checker" });
	return true;
}
