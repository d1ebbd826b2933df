import { testSubscription } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());

test("a plan without the product notifications sends and reads, and changes no rules, templates or providers", async () => {
	const tenant = office.tenant({});
	const limits = { max_emails_per_day: 200 };
	office.subscriptions.records.set(
		tenant.id,
		testSubscription(tenant.id, { products: ["auth"], limits, features: [] }),
	);
	const base = `/api/v1/${tenant.slug}/notifications`;
	const token = office.token(tenant, "admin");
	const ask = async (method: "GET" | "POST" | "PUT", path: string, body?: object) => {
		const answer = await office.call({ method, url: base + path, token, ...(body && { body }) });
		return [answer.status, answer.body.code];
	};
	expect((await office.send(tenant, greeting(["asha@uhai.example"]))).status).toBe(202);
	for (const path of ["/messages", "/templates", "/triggers", "/providers", "/credits", "/suppressions"])
		expect([path, ...(await ask("GET", path))]).toEqual([path, 200, undefined]);
	const source = { channel: "sms", locale: "en", source: "Hi" };
	const changes = [
		await ask("POST", "/triggers", { event: "custom.stock.low" }),
		await ask("POST", "/templates/shared/generic_notification/preview", source),
		await ask("PUT", "/templates/shared/generic_notification/draft", { contents: [source] }),
		await ask("POST", "/providers", { channel: "sms", kind: "twilio", name: "own", credentials: {} }),
	];
	expect(changes).toEqual(Array(4).fill([403, "product_unavailable"]));
});
