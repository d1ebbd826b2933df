import type { Database } from "@lango/postgres";
import { inTenant } from "@lango/postgres";
import { comparableAddress, maskAddress, normaliseAddress } from "../addresses/address.ts";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Channel } from "../channel.ts";
import { failures } from "../failures.ts";
import { type KnownAddress, listAddressesOf } from "../recipients/recipient.store.ts";

/** An address of a message, and the person whose it is, if known. */
export type Recipient = {
	address: string;
	masked: string;
	userId: string | undefined;
	/** The person's language; undefined: the message's, else the tenant's. */
	locale: string | undefined;
};

/** A request names at most 1,000 recipients; `user:` can stand for several addresses. */
const recipientsMax = 1_000;

type Wanted = { tenantId: string; channel: Channel; to: readonly string[]; region: string };

/**
 * Returns the normalised addresses of a request. `user:<uuid>` means the person's addresses on the
 * channel, each once (`listAddressesOf`). Throws `address_invalid` for an address that is not valid, or
 * a person without an address, and `address_repeated`; both name the place (`to.3`). Throws
 * `too_many_recipients` for more than 1,000 addresses.
 */
export async function resolveRecipients(
	{ db, vault }: { db: Database; vault: Vault },
	{ tenantId, channel, to, region }: Wanted,
): Promise<Recipient[]> {
	const wanted = to.map((text, place) => {
		const read = normaliseAddress(channel, text, region);
		if ("ok" in read) return read.ok;
		throw failures.address_invalid({ message: read.problem, fields: { field: `to.${place}`, in: "body" } });
	});
	const ids = wanted.flatMap((one) => (one.kind === "user" ? [one.userId] : []));
	const known =
		ids.length === 0 ? [] : await inTenant(db, tenantId, (tx) => listAddressesOf(tx, { channel, ids }));
	const byUser = Map.groupBy(known, ({ userId }) => userId);
	const seen = new Set<string>();
	const recipients = wanted.flatMap((one, place) => {
		const found =
			one.kind === "address"
				? [
						{
							address: one.address,
							masked: maskAddress(channel, one.address),
							userId: undefined,
							locale: undefined,
						},
					]
				: openAddresses(vault, { channel, place, of: byUser.get(one.userId) ?? [] });
		for (const { address } of found) {
			const same = comparableAddress(channel, address);
			if (seen.has(same)) throw failures.address_repeated({ fields: { field: `to.${place}`, in: "body" } });
			seen.add(same);
		}
		return found;
	});
	if (recipients.length <= recipientsMax) return recipients;
	throw failures.too_many_recipients({
		message: `The people of the request have more than ${recipientsMax} addresses.`,
		fields: { field: "to", in: "body", max: recipientsMax },
	});
}

function openAddresses(
	vault: Vault,
	{ channel, place, of }: { channel: Channel; place: number; of: readonly KnownAddress[] },
): Recipient[] {
	if (of.length === 0)
		throw failures.address_invalid({
			message: "This user has no verified address on the channel.",
			fields: { field: `to.${place}`, in: "body" },
		});
	const opened = of.map(({ userId, locale, sealed }) => {
		const address = sealed === undefined ? userId : vault.openAddress(sealed);
		return { address, masked: maskAddress(channel, address), userId, locale };
	});
	// A further address of a person can be the one of the sign-in, too.
	return [...new Map(opened.map((one) => [comparableAddress(channel, one.address), one])).values()];
}
