import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { fetchDispute } from "../../gateways/card-gateway/disputes.ts";
import type { Treasury } from "../../treasury.ts";
import { applyAnswered } from "./apply-answered.ts";

/** `unknown`: the gateway does not know it, or cannot be asked. `at_bank`: the bank decides about it. */
type Said = "silent" | "unknown" | "at_bank" | "applied";

/**
 * Asks the card gateway about a dispute by its id, and applies what it says. One that it does not know, or
 * about which it cannot be asked, stays as it is.
 */
export async function askAboutDispute(
	domain: Pick<Treasury, "db" | "now">,
	gateway: CardGateway,
	gatewayId: string,
): Promise<Said> {
	if (!gateway.profile.settings.capabilities.list_disputes) return "unknown";
	const answer = await fetchDispute(gateway, gatewayId);
	if (answer.is !== "accepted")
		return answer.is === "refused" && answer.code === "not_found" ? "unknown" : "silent";
	if (answer.ids.dispute.gatewayId !== gatewayId) return "unknown";
	await applyAnswered(domain, answer.ids);
	return answer.ids.isAtBank ? "at_bank" : "applied";
}
