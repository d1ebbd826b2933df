import { useMayDo } from "@lango/client/react";
import type { Invitation } from "@lango/contracts";
import type { Column } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { RoleNames } from "../../roles/role-names.tsx";
import { outletsQuery, tenantAddress } from "../../tenant/tenant.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { describeOutlets } from "./describe-outlets.ts";
import { invite, peopleKey } from "./people.queries.ts";
import { PeopleLayout } from "./people-layout.tsx";
import { usePeopleTexts } from "./texts.ts";

const route = getRouteApi("/$slug/people/invitations");
const kinds = { open: "done", accepted: "plain", withdrawn: "plain", expired: "warning" } as const;

/** `/{slug}/people/invitations`: invitations and their status. An open one can be sent again or withdrawn. */
export function InvitationsPage() {
	const { slug } = route.useParams();
	const words = usePeopleTexts();
	const list = usePagedList<Invitation>({
		key: peopleKey(slug, "invitations"),
		address: `${tenantAddress(usePlatform(), slug)}/invitations`,
		fields: [
			{ kind: "search", name: "q", label: words.searchInvitations },
			choiceOf("status", words.status, [Object.keys(kinds), words.invitationStatuses]),
		],
	});
	const columns = useColumns(slug);
	return (
		<PeopleLayout slug={slug}>
			<PagedList
				isMain
				list={list}
				caption={words.invitations}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noInvitations}
			/>
		</PeopleLayout>
	);
}

function useColumns(slug: string): Column<Invitation>[] {
	const words = usePeopleTexts();
	const mayChange = useMayDo("auth.users.change");
	const outlets = useQuery(outletsQuery(usePlatform(), slug)).data;
	const format = useFormat();
	const columns: Column<Invitation>[] = [
		{ head: words.address, cell: ({ email }) => email },
		{
			head: words.status,
			cell: ({ status, expires_at }) => (
				<>
					<Badge kind={kinds[status]}>{words.invitationStatuses[status]}</Badge>
					{status === "open" && (
						<span className="block text-quiet">{words.until(format.time(expires_at))}</span>
					)}
				</>
			),
		},
		{ head: words.roles, cell: (one) => <RoleNames codes={one.roles} /> },
		{ head: words.worksAt, cell: (one) => describeOutlets(one, outlets, words) },
		{ head: words.invitedAt, cell: ({ created_at }) => format.time(created_at) },
	];
	if (!mayChange) return columns;
	const actions = (invitation: Invitation) => <Actions slug={slug} invitation={invitation} />;
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell: actions }];
}

function Actions({ slug, invitation }: { slug: string; invitation: Invitation }) {
	const platform = usePlatform();
	const words = usePeopleTexts();
	const { id, email, roles, outlet_ids, is_hq, status } = invitation;
	if (status === "accepted") return null;
	const again = { email, outlet_ids, is_hq, roles: roles as never[] };
	const address = `${tenantAddress(platform, slug)}/invitations/${id}`;
	return (
		<span className="flex flex-wrap gap-x-5 rows:justify-end">
			<ConfirmButton
				kind="quiet"
				texts={words.resend}
				name={email}
				action={() => invite(platform, slug, again)}
				invalidates={peopleKey(slug)}
				messages={words.errors}
			/>
			{status === "open" && (
				<ConfirmButton
					kind="quiet"
					texts={words.withdraw}
					isDestructive
					name={email}
					action={() => platform.client.call(address, { method: "DELETE" })}
					invalidates={peopleKey(slug)}
					messages={words.errors}
				/>
			)}
		</span>
	);
}
