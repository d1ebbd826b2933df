import type { Entitlement } from "@lango/entitlements";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { createVault } from "../src/addresses/sealed-address.ts";
import { createLetterheads } from "../src/letterheads/letterhead.ts";
import type { Accepting } from "../src/messages/accept-message.ts";
import { createPublishedTemplates } from "../src/templates/published-templates.ts";
import { encryptionKeys, type Office } from "./office.ts";

/**
 * What accepting a message needs, for tests that accept messages as triggers do; every tenant has this plan.
 */
export function acceptingIn(office: Office, plan: Partial<Entitlement>): Accepting {
	const { db } = office.database;
	const now = () => new Date();
	const entitlement: Entitlement = {
		...{ plan: "GROWTH", status: "ACTIVE", access: "full", features: [], limits: {}, products: [] },
		...plan,
	};
	return {
		...{ db, now, allowHttp: false },
		entitlements: {
			entitlementOf: async () => entitlement,
			lastKnown: () => entitlement,
		} as unknown as Accepting["entitlements"],
		vault: createVault(readKeyEncryptionKeys(encryptionKeys)),
		templates: createPublishedTemplates({ db, now }),
		letterheads: createLetterheads({ db, now }),
		calls: { has: async () => true } as unknown as Accepting["calls"],
	};
}
