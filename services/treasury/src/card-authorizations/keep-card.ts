import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { type KeyEncryptionKeys, seal } from "@lango/tokens";
import type { ChargedCard } from "../outcomes/evidence/card-evidence.ts";
import type { Payee } from "../payments/intent.ts";
import { recordAuthorization } from "./card-authorization.store.ts";
import { authorizationContext } from "./card-authorization.ts";

type Kept = {
	tenantId: string;
	payee: Payee;
	/** The person who paid, if the payment names one. */
	userId: string | null;
	card: ChargedCard;
	keys: KeyEncryptionKeys;
	now: Date;
};

/**
 * Keeps a card that was charged and can be charged again: its code encrypted, for the payee that it paid
 * only. Call it inside the tenant.
 */
export async function keepCard(tx: Database, { card, keys, now, ...of }: Kept): Promise<void> {
	const { code, ...shown } = card;
	await recordAuthorization(tx, {
		...{ ...of, ...shown, id: uuidV7(now), code: seal(keys, authorizationContext, code) },
		...{ lastUsedAt: now, createdAt: now },
	});
}
