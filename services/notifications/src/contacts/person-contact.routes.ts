import { recordAudit } from "@lango/access";
import { actorOf, callerOf, originOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { maskAddress } from "../addresses/address.ts";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { findActivePerson } from "../recipients/recipient.store.ts";
import { addWithin, findContact, recordVerified } from "./contact.store.ts";
import { ContactBody, ContactWire, readContactAddress, toContactWire } from "./contact-wire.ts";

const tags = ["contact points"];

/** The routes of the addresses of a person, for programs and administrators. */
export const personContactRoutes = (domain: Notifications): readonly Route[] => [setting(domain)];

const setting = ({ db, now, vault, letterheads }: Notifications): Route =>
	route({
		method: "PUT",
		url: "/people/:user_id/contact-points",
		access: permit("notifications.contacts.change"),
		outlets: tenantWide("addresses of people are the tenant's"),
		schema: {
			summary: "Records an address of a person as verified",
			description:
				"For programs that have verified it themselves: no code is sent. The person's other addresses stay.",
			tags,
			params: Type.Object({ tenant: Type.String(), user_id: Uuid }),
			body: ContactBody,
			response: { 200: ContactWire },
		},
		handler: async (request) => {
			const { user_id: userId } = request.params;
			const { channel } = request.body;
			const { id: tenantId } = tenantOf(request);
			const { region } = await letterheads.get(tenantId);
			const text = readContactAddress(request.body, region);
			const address = { ...vault.sealAddress(channel, text), masked: maskAddress(channel, text) };
			const at = now();
			const contact = await inTenant(db, tenantId, async (tx) => {
				const person = await findActivePerson(tx, { tenantId, id: userId, lock: true });
				if (person === undefined) throw failures.person_not_found();
				const { id } =
					(await findContact(tx, { tenantId, userId, channel, keys: address.keys })) ??
					(await addWithin(tx, { tenantId, userId, channel, address, now: at }));
				await recordAudit(tx, {
					...{ tenantId, at, actor: actorOf(callerOf(request)), action: "contact_point.verified" },
					...{ subject: userId, detail: { channel }, ...originOf(request) },
				});
				return recordVerified(tx, { tenantId, id, now: at });
			});
			return toContactWire(contact);
		},
	});
