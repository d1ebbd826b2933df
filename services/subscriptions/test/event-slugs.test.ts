import { tenantUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { expect, test } from "vitest";
import { findSlug } from "../src/record/tenant-calendar.store.ts";
import { openDesk, until } from "./desk.ts";
import { setUpService } from "./test-service.ts";

const service = setUpService();

test("every event carries the tenant's slug: of the member's token first, then of the last event of the sign-on service", async () => {
	const desk = openDesk(service);
	const { tenantId } = desk;
	const slugs = async () => {
		await desk.events();
		const own = [...service.published.values()].filter(({ tenantid }) => tenantid === tenantId);
		return own
			.filter(({ source }) => source !== "/auth")
			.map(({ type, tenantslug }) => `${type} ${tenantslug}`);
	};

	await desk.ask("POST", "", { plan: "GROWTH" });
	expect(await slugs()).toEqual(["subscription.entitlements_changed acme"]);

	await recordEvent(service.db, tenantUpdated, {
		subject: tenantId,
		tenantId,
		now: service.clock.now,
		data: {
			tenant_id: tenantId,
			slug: "acme-ltd",
			previous_slug: "acme",
			name: "Acme",
			status: "active",
			use_case: null,
			org_size: null,
			branding: { logo_url: null, colour: null },
			// A time zone unknown to this runtime must not prevent storing the slug.
			time_zone: "Mars/Olympus",
			currency: "KES",
			locale: "en",
			version: 2,
		},
	});
	await until(
		async () => (await inTenant(service.db, tenantId, (tx) => findSlug(tx, tenantId))) === "acme-ltd",
	);
	const before = await slugs();
	await desk.payFor("GROWTH");
	const after = (await slugs()).slice(before.length);
	expect(after).toContain("subscription.billing.requested acme-ltd");
	expect(after).toContain("treasury.payment.succeeded acme-ltd");
	expect(after).toContain("subscription.entitlements_changed acme-ltd");
	expect(after.filter((event) => !event.endsWith(" acme-ltd"))).toEqual([]);
});
