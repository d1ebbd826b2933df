import { canonical, open, type Route, readCursor, route, tenantOf, timeForm, totalOf } from "@lango/chassis";
import {
	FailureBody,
	Invitation,
	InvitationPreview,
	InvitationStatus,
	NewInvitation,
	OneTimeValue,
	Page,
	PeopleQuery,
	Shape,
	TotalQuery,
} from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { BySlug, BySlugAndId, pageSizeDefault, refusals } from "../administrators/administration.ts";
import { administratorOf } from "../administrators/admit-administrator.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { describeInvitation, invitationKeyOf, listInvitations } from "./invitation.store.ts";
import { invite, withdraw } from "./invite.ts";

const Invited = Type.Object({
	...Invitation.properties,
	token: Type.String({
		description:
			"The value that the invited person sends when they register or join; shown only in this response",
	}),
	url: Type.String({ description: "The address of the page that accepts the invitation" }),
});

/** Invitations into a tenant: good once, for one address, until they expire. */
export const invitationRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/invitation",
		access: open("the value of the invitation is the proof; it is in the body, so that no log has it"),
		schema: {
			summary: "Describes an invitation to the invited person",
			body: Shape({ invitation: OneTimeValue }),
			response: { 200: InvitationPreview, 400: FailureBody },
		},
		handler: async ({ body }, reply) => {
			reply.header("cache-control", "no-store");
			const { db, now } = dependencies;
			const key = invitationKeyOf(body.invitation);
			const found = key && (await describeInvitation(db, { ...key, now: now() }));
			if (found === undefined)
				throw failures.invitation_invalid({ fields: { field: "invitation", in: "body" } });
			return found;
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/tenants/:slug/invitations",
		access: canonical("auth.users.change"),
		schema: {
			summary: "Invites an e-mail address to the tenant, with roles and outlets",
			params: BySlug,
			body: NewInvitation,
			response: { 201: Invited, 400: FailureBody, 409: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const inviting = {
				tenant: tenantOf(request),
				by: administratorOf(request),
				invitation: request.body,
			};
			const invited = await invite(dependencies, inviting, originOf(request, dependencies.now()));
			return reply.code(201).header("cache-control", "no-store").send(invited);
		},
	}),
	listing(dependencies),
	route({
		method: "DELETE",
		url: "/api/v1/tenants/:slug/invitations/:id",
		access: canonical("auth.users.change"),
		schema: {
			summary: "Withdraws an open invitation",
			params: BySlugAndId,
			response: { 204: Type.Null(), ...refusals },
		},
		handler: async (request, reply) => {
			const withdrawing = { tenantId: tenantOf(request).id, id: request.params.id };
			await withdraw(dependencies, withdrawing, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];

const listing = (dependencies: Dependencies): Route =>
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/invitations",
		access: canonical("auth.users.view"),
		schema: {
			summary: "Lists the tenant's invitations, newest first",
			params: BySlug,
			querystring: Type.Object({
				...PeopleQuery,
				...TotalQuery,
				status: Type.Optional(InvitationStatus),
			}),
			response: { 200: Page(Invitation), 400: FailureBody, ...refusals },
		},
		handler: async (request) => {
			const { cursor, limit = pageSizeDefault, total, q: search, status } = request.query;
			const { id: tenantId } = tenantOf(request);
			const after = readCursor(cursor, timeForm);
			const asked = { tenantId, search, status, now: dependencies.now(), after, limit };
			return inTenant(dependencies.db, tenantId, async (tx) => ({
				...(await listInvitations(tx, asked)),
				...(await totalOf(tx, total, (all, page) => listInvitations(all, { ...asked, ...page }))),
			}));
		},
	});
