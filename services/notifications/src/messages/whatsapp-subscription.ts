import type { Entitlement } from "@lango/entitlements";

/** The feature of the plan without which WhatsApp messages are skipped. */
export const whatsappFeature = "whatsapp";

/** Returns whether a tenant can send WhatsApp messages, and if not why (§2.2). */
export function whatsappOf(plan: Entitlement | null): "subscribed" | "not_subscribed" | "read_only" {
	if (!plan?.features.includes(whatsappFeature)) return "not_subscribed";
	return plan.access === "read_only" ? "read_only" : "subscribed";
}
