import { callerOf, type Route, route } from "@lango/chassis";
import { Shape, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { isPhoneOf, maskAddress } from "../addresses/address.ts";
import { failures } from "../failures.ts";
import { acceptOr503 } from "../messages/accept-or-503.ts";
import { requesterOf } from "../messages/requester.ts";
import type { Notifications } from "../parts.ts";
import { own, personOf } from "../person-of.ts";
import { contactsMax, listContacts, removeContact } from "./contact.store.ts";
import { addByCode, verifyByCode } from "./contact-code.ts";
import { ContactBody, ContactWire, readContactAddress, toContactWire } from "./contact-wire.ts";

const tags = ["contact points"];
const ofAPerson = own("people keep their own addresses, also after the subscription has expired");
const Params = Type.Object({ tenant: Type.String(), id: Uuid });

/** The routes of the caller's further addresses. */
export const contactRoutes = (domain: Notifications): readonly Route[] => [
	listing(domain),
	adding(domain),
	verifying(domain),
	removing(domain),
];

const listing = ({ db }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "GET",
		url: "/contact-points",
		schema: {
			summary: "Lists the caller's further addresses, the newest first",
			tags,
			response: { 200: Type.Object({ items: Type.Array(ContactWire, { maxItems: contactsMax }) }) },
		},
		handler: async (request) => {
			const { tenantId, userId } = personOf(request);
			const found = await inTenant(db, tenantId, (tx) => listContacts(tx, { tenantId, userId }));
			return { items: found.map(toContactWire) };
		},
	});

const adding = (domain: Notifications): Route =>
	route({
		...ofAPerson,
		method: "POST",
		url: "/contact-points",
		schema: {
			summary: "Adds an address of the caller, and sends a code to it",
			description:
				"The code has six digits and is valid for 10 minutes. An address that is not verified yet gets another code, at most three an hour, and a person at most ten an hour. Phone numbers must be of the organisation's country. An address that is verified is answered 200, and nothing is sent.",
			tags,
			body: ContactBody,
			response: { 200: ContactWire, 201: ContactWire },
		},
		handler: async (request, reply) => {
			const { tenantId, userId, claims } = personOf(request);
			const { channel } = request.body;
			const { region } = await domain.letterheads.get(tenantId);
			const address = readContactAddress(request.body, region);
			if (channel !== "email" && !isPhoneOf(address, region))
				throw failures.address_invalid({
					message: "Codes are sent to phone numbers of the organisation's country only.",
					fields: { field: "address", in: "body" },
				});
			const masked = maskAddress(channel, address);
			const from = requesterOf(callerOf(request));
			const { contact, isSent } = await acceptOr503(
				addByCode(domain, { tenantId, userId, claims, channel, address, masked, from }),
			);
			return reply.code(isSent ? 201 : 200).send(toContactWire(contact));
		},
	});

const verifying = (domain: Notifications): Route =>
	route({
		...ofAPerson,
		method: "POST",
		url: "/contact-points/:id/verify",
		schema: {
			summary: "Verifies an address of the caller by the code that was sent to it",
			description: "The newest code counts. It can be tried five times and used once.",
			tags,
			params: Params,
			body: Shape({ code: Type.String({ pattern: "^\\d{6}$", "x-error": "must be six digits" }) }),
			response: { 200: ContactWire },
		},
		handler: async (request) => {
			const { tenantId, userId } = personOf(request);
			const { id } = request.params;
			return toContactWire(await verifyByCode(domain, { tenantId, userId, id, code: request.body.code }));
		},
	});

const removing = ({ db }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "DELETE",
		url: "/contact-points/:id",
		schema: {
			summary: "Removes an address of the caller",
			tags,
			params: Params,
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const { tenantId, userId } = personOf(request);
			const { id } = request.params;
			const existed = await inTenant(db, tenantId, (tx) => removeContact(tx, { tenantId, userId, id }));
			if (!existed) throw failures.contact_point_not_found();
			return reply.code(204).send(null);
		},
	});
