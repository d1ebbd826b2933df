import type { Page } from "playwright-core";
import { type ConsoleTenant, fetchSettlements, registerTenant, until } from "./console-tenant.ts";
import { enter, openSharedConsole, type SharedConsole } from "./console-visit.ts";

/** A tenant that collects by card and pays out to a bank account, and the card gateway's sandbox. */
export type PayoutVisit = {
	stand: SharedConsole;
	tenant: ConsoleTenant;
	recipientId: string;
	/** Signs in to the console as the tenant's administrator, or as a person of the platform owner. */
	enterAsAdministrator(page: Page): Promise<void>;
	enterAsOwner(page: Page, email?: string): Promise<void>;
	/** Calls the control interface of the sandbox. Throws when that is refused. */
	control(method: string, path: string, body: object): Promise<Record<string, unknown>>;
	/** The gateway settles what was paid by card, and the treasury reads it, until so much is available. */
	settle(minor: number): Promise<void>;
	/**
	 * A payer pays by card. Returns when the payment is counted: its request, what the gateway calls it, and
	 * the payment.
	 */
	collect(page: Page, email?: string): Promise<{ id: string; reference: string; paymentId: string }>;
};

/** Opens the console with such a tenant. */
export async function openPayouts(): Promise<PayoutVisit> {
	const stand = await openSharedConsole();
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	// The treasury learns of the plan a little later.
	await until(() => tenant.collects("GET", "/banks").then(Boolean, () => false));
	const { body: recipient } = await tenant.collects("POST", "/recipients", {
		...{ type: "bank", name: "Soko Account", account_number: "1100200300777", currency: "KES" },
		bank_code: await bankCodeFor(tenant),
	});
	const control: PayoutVisit["control"] = async (method, path, body) => {
		const answer = await fetch(`${stand.urls["card-gateway-sandbox"]}/_control/${path}`, {
			...{ method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
		});
		if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
		return (await answer.json()) as Record<string, unknown>;
	};
	await control("POST", "top-up", { amount: 100_000_000 });
	return {
		...{ stand, tenant, control, recipientId: String(recipient["id"]) },
		enterAsAdministrator: (page) =>
			enter(page, `${stand.urls.console}/${tenant.slug}`, { email: tenant.email }),
		enterAsOwner: (page, email = "root@lango.example") =>
			enter(page, `${stand.urls.console}/lango`, { email }),
		settle: async (minor) => {
			await control("POST", "settle", {});
			await fetchSettlements(stand);
			await until(async () => {
				const { body } = await tenant.collects("GET", "/balances");
				return (body["platform_custody"] as Record<string, number>)["available"] === minor;
			});
		},
		collect: async (page, email = "amina@example.com") => {
			const asked = { amount_minor: 100_000, currency: "KES", description: "Catering", channels: ["card"] };
			const { body: intent } = await tenant.collects("POST", "/intents", asked);
			const { body } = await tenant.collects("POST", `/intents/${intent["id"]}/checkout`, { email });
			await page.goto(String(body["authorization_url"]));
			await page.getByRole("button", { name: "Pay KES 1,000.00" }).click();
			let paymentId = "";
			await until(async () => {
				const { body: now } = await tenant.collects("GET", `/intents/${intent["id"]}`);
				paymentId = (now["payments"] as Array<{ id: string }>)[0]?.id ?? "";
				return now["status"] === "succeeded";
			});
			return { id: String(intent["id"]), reference: String(body["reference"]), paymentId };
		},
	};
}

async function bankCodeFor(tenant: ConsoleTenant): Promise<string> {
	const { items } = (await tenant.collects("GET", "/banks")).body as {
		items: Array<{ code: string; type: string }>;
	};
	const bank = items.find(({ type }) => type !== "mobile_money");
	if (bank === undefined) throw new Error("the gateway lists no bank");
	return bank.code;
}
