import { useMayDo } from "@lango/client/react";
import type { JoinRequest } from "@lango/contracts";
import { Button, type Column, RowName } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { FormDialog } from "../../dialogs/form-dialog.tsx";
import { errorsOf } from "../../forms/rules.ts";
import { Badge } from "../../layout/badge.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { RoleNames } from "../../roles/role-names.tsx";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { type Grant, GrantFields } from "./grant-fields.tsx";
import { peopleKey } from "./people.queries.ts";
import { PeopleLayout } from "./people-layout.tsx";
import { usePeopleTexts } from "./texts.ts";

const route = getRouteApi("/$slug/people/waiting");

/**
 * `/{slug}/people/waiting`: join requests, oldest first (§3). They are approved with roles and outlets, or
 * declined.
 */
export function JoinRequestsPage() {
	const { slug } = route.useParams();
	const words = usePeopleTexts();
	const list = usePagedList<JoinRequest>({
		key: peopleKey(slug, "waiting"),
		address: `${tenantAddress(usePlatform(), slug)}/join-requests`,
		fields: [{ kind: "search", name: "q", label: words.search }],
	});
	const columns = useColumns(slug);
	return (
		<PeopleLayout slug={slug}>
			<p className="mb-4 max-w-prose text-quiet">{words.waitingLead}</p>
			<PagedList
				isMain
				list={list}
				caption={words.waiting}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noneWaiting}
			/>
		</PeopleLayout>
	);
}

function useColumns(slug: string): Column<JoinRequest>[] {
	const words = usePeopleTexts();
	const mayChange = useMayDo("auth.users.change");
	const format = useFormat();
	const columns: Column<JoinRequest>[] = [
		{
			head: words.person,
			cell: ({ name, email, email_verified }) => (
				<RowName detail={email}>
					<span className="mr-1">{name}</span>{" "}
					{!email_verified && <Badge kind="warning">{words.unverified}</Badge>}
				</RowName>
			),
		},
		{
			head: words.asksFor,
			cell: ({ requested_roles }) => <RoleNames codes={requested_roles} />,
		},
		{ head: words.asked, cell: ({ requested_at }) => format.time(requested_at) },
	];
	if (!mayChange) return columns;
	const actions = (request: JoinRequest) => <Actions slug={slug} request={request} />;
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell: actions }];
}

function Actions({ slug, request }: { slug: string; request: JoinRequest }) {
	const platform = usePlatform();
	const words = usePeopleTexts();
	const [isOpen, setOpen] = useState(false);
	const { id, name } = request;
	const address = `${tenantAddress(platform, slug)}/join-requests/${id}`;
	return (
		<span className="flex flex-wrap gap-3 rows:justify-end">
			<Button aria-haspopup="dialog" aria-label={words.approveOne(name)} onClick={() => setOpen(true)}>
				{words.approve}
			</Button>
			<ConfirmButton
				kind="quiet"
				texts={words.decline}
				isDestructive
				name={name}
				action={() => platform.client.call(`${address}/refuse`, { method: "POST" })}
				invalidates={peopleKey(slug)}
				messages={words.errors}
			/>
			{isOpen && <ApproveDialog slug={slug} request={request} onClose={() => setOpen(false)} />}
		</span>
	);
}

type ApproveDialog = { slug: string; request: JoinRequest; onClose: () => void };

function ApproveDialog({ slug, request, onClose }: ApproveDialog) {
	const platform = usePlatform();
	const words = usePeopleTexts();
	const { id, name, email } = request;
	const [grant, setGrant] = useState<Grant>({
		roles: request.requested_roles,
		outletIds: [],
		isHq: false,
	});
	const address = `${tenantAddress(platform, slug)}/join-requests/${id}/approve`;
	const body = { roles: grant.roles, outlet_ids: grant.isHq ? [] : grant.outletIds, is_hq: grant.isHq };
	return (
		<FormDialog
			title={words.approveTitle(name)}
			keptAs={id}
			confirm={words.approve}
			busyText={words.approving}
			messages={words.errors}
			check={() => errorsOf([[grant.roles.length === 0, "roles", words.missingRoles]])}
			action={() => platform.client.call(address, { method: "POST", body })}
			invalidates={peopleKey(slug)}
			done={words.approved(name)}
			onClose={onClose}
		>
			{(field) => (
				<>
					<p className="wrap-anywhere text-quiet">{email}</p>
					<GrantFields slug={slug} grant={grant} onChange={setGrant} field={field} />
				</>
			)}
		</FormDialog>
	);
}
