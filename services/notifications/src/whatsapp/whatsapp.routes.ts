import { callerOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { acceptOr503 } from "../messages/accept-or-503.ts";
import { requesterOf } from "../messages/requester.ts";
import { whatsappOf } from "../messages/whatsapp-subscription.ts";
import type { Notifications } from "../parts.ts";
import { listUnapproved } from "./whatsapp.store.ts";

const templatesMax = 200;

/** The route that says whether a tenant can send WhatsApp messages (§2.2). */
export const whatsappRoutes = ({ db, entitlements }: Notifications): readonly Route[] => [
	route({
		method: "GET",
		url: "/whatsapp",
		access: permit("notifications.credits.view"),
		outlets: tenantWide("the subscription is the tenant's"),
		schema: {
			summary: "Returns whether the tenant has WhatsApp, and which templates name no template of the vendor",
			tags: ["credits"],
			response: {
				200: Type.Object({
					active: Type.Boolean(),
					because: Type.Enum(["subscribed", "not_subscribed", "read_only"], {
						type: "string",
						description: "read_only: the tenant's subscription has expired",
					}),
					templates_missing: Type.Array(Type.String(), {
						maxItems: templatesMax,
						description:
							"Paths of templates without the name of a template of the vendor. What the vendor has approved is not known here",
					}),
				}),
			},
		},
		handler: async (request) => {
			const tenantId = tenantOf(request).id;
			const { claims } = requesterOf(callerOf(request));
			const plan = await acceptOr503(entitlements.entitlementOf({ tenantId, claims }));
			const missing = await inTenant(db, tenantId, (tx) => listUnapproved(tx, templatesMax));
			const because = whatsappOf(plan);
			return { active: because === "subscribed", because, templates_missing: missing } as const;
		},
	}),
];
