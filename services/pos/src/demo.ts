import type { Environment } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import { hasPins } from "./pins/pin.store.ts";

/** The PIN of the demo's cashier (development only). */
export const demoPin = "2580";

export type DemoPin = {
	tenants: ReadonlyArray<{ slug: string; id: string }>;
	environment: Environment;
	/** Of the demo's people. */
	password: string;
};

const slug = "kahawa";

/**
 * Sets a PIN for the demo café's cashier over HTTP, as its owner would. The cashier's id comes from the
 * sign-on service, and this service records the cashier at their first request. Does nothing if the café has
 * PINs already.
 */
export async function seedDemoPin(db: Database, { tenants, environment, password }: DemoPin): Promise<void> {
	const tenant = tenants.find((one) => one.slug === slug);
	if (tenant === undefined || (await inTenant(db, tenant.id, (tx) => hasPins(tx, tenant.id)))) return;
	const { AUTH_URL: authUrl = "", POS_URL: posUrl = "" } = environment;
	const base = `${posUrl}/api/v1/${slug}/pos`;
	const tokenOf = async (email: string) => {
		const body = { email, password, tenant_slug: slug };
		const { access_token: token } = await ask(`${authUrl}/api/v1/auth/login`, { method: "POST", body });
		return String(token);
	};
	const { user_id: cashier } = await ask(`${base}/auth/me`, {
		token: await tokenOf("cashier@kahawa.example"),
	});
	const token = await tokenOf("owner@kahawa.example");
	await ask(`${base}/pins/${cashier}`, { method: "PUT", body: { pin: demoPin }, token });
}

type Asking = { method?: string; body?: object; token?: string };

async function ask(url: string, { method = "GET", body, token }: Asking): Promise<Record<string, unknown>> {
	const answer = await fetch(url, {
		method,
		headers: {
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
		signal: AbortSignal.timeout(10_000),
	});
	if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
	return (await answer.json()) as Record<string, unknown>;
}
