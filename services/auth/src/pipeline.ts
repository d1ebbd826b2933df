import { authenticateWith, guarded, type Pipeline } from "@lango/chassis";
import { admitAdministrators } from "./administrators/admit-administrator.ts";
import { findApiKey } from "./api-keys/api-key.store.ts";
import type { Dependencies } from "./dependencies.ts";

/** What every request goes through: who is asking, and may they administer what they ask for. */
export function pipeline({ db, verifier, now, settings: { platformOwnerSlug } }: Dependencies): Pipeline {
	const authenticate = authenticateWith({
		verifier,
		platformOwnerSlug,
		findApiKey: async (id) => {
			const secretHash = await findApiKey(db, { id, now: now() });
			return secretHash === undefined ? undefined : { secretHash, permissions: [] };
		},
	});
	return [
		[authenticate, guarded],
		[admitAdministrators({ db, now, platformOwnerSlug }), guarded],
	];
}
