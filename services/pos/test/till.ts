import type { Answer, Shop, Somebody } from "./shop.ts";
import { somebody } from "./shop.ts";

/** A till of the first outlet of a tenant, and the person who made it. */
export type OpenTill = { id: string; token: string; manager: Somebody };

export const at = (tenant: { slug: string }, path: string) => `/api/v1/${tenant.slug}/pos${path}`;

/** Adds a till as a manager of Kahawa. */
export async function openTill(
	shop: Shop,
	{ place = 0 as 0 | 1, tenant = shop.kahawa } = {},
): Promise<OpenTill> {
	const manager = somebody(tenant, "admin", "Wanjiru Njoroge");
	const answer = await shop.call({
		method: "POST",
		url: at(tenant, "/terminals"),
		token: shop.token(manager),
		body: { outlet_id: shop.outlet(tenant, place).id, name: "Till 1" },
	});
	if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
	return { id: String(answer.body.id), token: String(answer.body.token), manager };
}

/** Makes a person known here, as their first request would. */
export async function meet(shop: Shop, who: Somebody): Promise<void> {
	const { status } = await shop.call({ url: at(who.tenant, "/auth/me"), token: shop.token(who) });
	if (status !== 200) throw new Error(`auth/me answered ${status}`);
}

/** Sets a person's PIN as a manager. */
export function givePin(
	shop: Shop,
	{ manager }: Pick<OpenTill, "manager">,
	request: { who: Somebody; pin: string; outlet_id?: string | null },
): Promise<Answer> {
	const { who, ...body } = request;
	return shop.call({
		method: "PUT",
		url: at(who.tenant, `/pins/${who.sub}`),
		token: shop.token(manager),
		body,
	});
}

/** A new cashier of Kahawa with a PIN. */
export async function hire(
	shop: Shop,
	till: OpenTill,
	{ pin = "2580", role = "cashier" } = {},
): Promise<Somebody> {
	const who = somebody(till.manager.tenant, role, "Juma Ali");
	await meet(shop, who);
	const { status, body } = await givePin(shop, till, { who, pin });
	if (status !== 200) throw new Error(JSON.stringify(body));
	return who;
}

type PinTry = { who: { sub: string }; pin: string; tenant?: string };

/** Types a PIN at a till. */
export const typePin = (
	shop: Shop,
	till: { token: string },
	{ who, pin, tenant = shop.kahawa.slug }: PinTry,
): Promise<Answer> =>
	shop.call({
		method: "POST",
		url: "/auth/pin",
		body: { tenant, terminal: till.token, user_id: who.sub, pin },
	});

/** Returns the token for a right PIN. */
export async function signInAt(shop: Shop, till: { token: string }, attempt: PinTry): Promise<string> {
	const { status, body } = await typePin(shop, till, attempt);
	if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
	return String(body.access_token);
}

/** Returns the response of `auth/me` for a token. */
export const me = (shop: Shop, token: string, tenant = shop.kahawa) =>
	shop.call({ url: at(tenant, "/auth/me"), token });
