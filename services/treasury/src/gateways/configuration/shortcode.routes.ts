import { actorOf, callerOf, originOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { FailureBody } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { findOwnerId } from "../../platform-owner.ts";
import type { Treasury } from "../../treasury.ts";
import { gatewayFailures } from "../calls/failures.ts";
import { listCredentials } from "../profiles/credential.store.ts";
import { getMobileMoneyProfile } from "../profiles/profile.store.ts";
import { findTenantGateway } from "../shortcodes/tenant-gateway.store.ts";
import { configureShortcode } from "./configure-shortcode.ts";
import { ShortcodeBody, ShortcodeWire, toShortcodeWire } from "./shortcode-wire.ts";

const tags = ["gateways"];
const ofTheTenant = { outlets: tenantWide("the shortcode is the tenant's") };

async function show({ db, now }: Treasury, tenantId: string) {
	const { id: profileId, environment } = await getMobileMoneyProfile(db);
	return inTenant(db, tenantId, async (tx) => {
		const found = await findTenantGateway(tx);
		const [credential] = await listCredentials(tx, { tenantId, profileId, now: now() });
		return toShortcodeWire(found, { credential, isProduction: environment === "production" });
	});
}

/** The routes of the tenant's shortcode at the mobile-money gateway. */
export const shortcodeRoutes = (treasury: Treasury): readonly Route[] => [
	route({
		...ofTheTenant,
		access: permit("treasury.gateways.view"),
		method: "GET",
		url: "/gateway",
		schema: { summary: "Returns the tenant's shortcode", tags, response: { 200: ShortcodeWire } },
		handler: (request) => show(treasury, tenantOf(request).id),
	}),
	route({
		...ofTheTenant,
		access: permit("treasury.gateways.manage"),
		method: "PUT",
		url: "/gateway",
		schema: {
			summary: "Sets the tenant's shortcode",
			description:
				"Absent secrets stay, and null removes one. Another shortcode begins without the secrets of the one before. The platform's is a paybill.",
			tags,
			body: ShortcodeBody,
			response: { 200: ShortcodeWire, 409: FailureBody },
		},
		handler: async (request) => {
			const { shortcode, kind, initiator_name, account_reference, ...body } = request.body;
			const {
				unknown_accounts: unknownAccounts = "accept",
				refund_excess: refundExcess = false,
				...secrets
			} = body;
			const { id: tenantId } = tenantOf(request);
			if (kind === "till" && tenantId === (await findOwnerId(treasury)))
				throw gatewayFailures.paybill_required({ fields: { field: "kind", in: "body" } });
			await configureShortcode(treasury, {
				...{ tenantId, secrets },
				change: {
					...{ shortcode, kind, unknownAccounts, refundExcess },
					...{ initiatorName: initiator_name, accountReference: account_reference },
				},
				by: { actor: actorOf(callerOf(request)), ...originOf(request) },
			});
			return show(treasury, tenantId);
		},
	}),
];
