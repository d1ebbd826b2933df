import { accepted, type Raw, refused } from "../../src/gateways/calls/answer.ts";
import type { CardGateway } from "../../src/gateways/card-gateway/account.ts";
import { cardDefaults } from "../../src/gateways/profiles/profile.ts";

/** A card gateway that confirms the charges of its events, whatever they say. */
export function createConfirmingGateway() {
	const charges = new Map<string, Raw>();
	const gateway: CardGateway = {
		profile: {
			...{ id: "card", environment: "sandbox", baseUrl: "http://127.0.0.1", certificate: undefined },
			...{ settings: cardDefaults, version: 1 },
		},
		send: async ({ path }, read) => {
			const data = charges.get(path.split("/").at(-1) ?? "");
			const ids = data && read({ status: true, data });
			return ids === undefined ? refused("not_found", "Transaction not found") : accepted(ids, {});
		},
	};
	return {
		findCardGateway: async () => gateway,
		findAddressRule: async () => ({ allow_ips: [], ip_mode: "observe" as const }),
		/** Remembers the charge of an event. */
		send: ({ data }: { data?: Raw }) => {
			if (typeof data?.["reference"] === "string")
				charges.set(data["reference"], { status: "success", ...data });
		},
	};
}
