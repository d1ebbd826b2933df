import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Till } from "../till.ts";

type Answer = { status: number; body: Record<string, unknown> };
type Card = { cardNumber?: string; expiry?: string };

/** What a person of the hospital does with plans, cards and card subscriptions. */
export type Wallet = {
	ask(method: string, path: string, more?: { body?: object; key?: string }): Promise<Answer>;
	/** Pays a request of the tenant's trade by card, and returns the card that was kept of it. */
	payByCard(email: string, card?: Card): Promise<string>;
	/** Makes a plan, and returns its id. */
	makePlan(more?: object): Promise<string>;
	/** Subscribes a new payer's card to a new plan. */
	subscribe(card?: Card): Promise<Answer>;
	/** Runs what is due until something is so. */
	until(isSo: () => Promise<boolean>): Promise<void>;
	/** Waits until a card subscription has members. */
	becomes(id: unknown, members: object): Promise<void>;
};

let payers = 0;

export function openWallet(till: Till): Wallet {
	const person = randomUUID();
	const ask: Wallet["ask"] = (method, path, { body, key } = {}) => {
		const iat = Math.floor((till.clock.now ?? new Date()).getTime() / 1_000);
		return till.call({
			...{ method, url: `/api/v1/uhai/treasury${path}` },
			token: till.token(till.tenants.uhai, "admin", { sub: person, iat, exp: iat + 3_600 }),
			...(body && { body }),
			...(key !== undefined && { headers: { "idempotency-key": key } }),
		});
	};
	const until: Wallet["until"] = (isSo) =>
		expect
			.poll(async () => {
				await till.service.jobs.runDue();
				return isSo();
			})
			.toBe(true);
	const cards = async () => {
		const { body } = await ask("GET", "/card-authorizations");
		return (body["items"] as Array<{ id: string }>).map(({ id }) => id);
	};
	const payByCard: Wallet["payByCard"] = async (email, card = {}) => {
		const before = new Set(await cards());
		const request = { amount_minor: 100_000, currency: "KES", description: "Order 17", channels: ["card"] };
		const { body: intent } = await ask("POST", "/intents", { body: request });
		const { body } = await ask("POST", `/intents/${intent["id"]}/checkout`, { body: { email } });
		await till.cards("POST", `/_control/checkouts/${body["access_code"]}`, {
			...{ action: "pay", channel: "card", ...card },
		});
		const added = async () => (await cards()).find((id) => !before.has(id));
		await until(async () => (await added()) !== undefined);
		return String(await added());
	};
	const makePlan: Wallet["makePlan"] = async (more = {}) => {
		const plan = { name: "Growth", interval: "monthly", amount_minor: 250_050, currency: "KES", ...more };
		return String((await ask("POST", "/plans", { body: plan })).body["id"]);
	};
	return {
		...{ ask, payByCard, makePlan, until },
		subscribe: async (card) => {
			payers += 1;
			const authorization_id = await payByCard(`payer-${payers}@example.com`, card);
			return ask("POST", "/card-subscriptions", { body: { plan_id: await makePlan(), authorization_id } });
		},
		becomes: async (id, members) => {
			const shown = async () => {
				await till.service.jobs.runDue();
				return (await ask("GET", `/card-subscriptions/${id}`)).body;
			};
			await expect.poll(shown).toMatchObject(members);
		},
	};
}
