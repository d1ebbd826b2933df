import { useMayDo } from "@lango/client/react";
import type { JoinRequest } from "@lango/contracts";
import { Button, type Column, formatTime, RowName, SearchField, useLanguage } from "@lango/interface";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { AskedButton } from "../../asking/asked-button.tsx";
import { FormDialog } from "../../asking/form-dialog.tsx";
import { Mark } from "../../frame/mark.tsx";
import { Filters } from "../../lists/filters.tsx";
import { PagedList } from "../../lists/paged-list.tsx";
import { usePagedList } from "../../lists/use-paged-list.ts";
import { showToast } from "../../notices/toast.ts";
import { RoleNames } from "../../people/role-names.tsx";
import { usePlatform } from "../../session/platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { type Grant, GrantFields } from "./grant-fields.tsx";
import { peopleKey } from "./people.queries.ts";
import { PeopleParts } from "./people-parts.tsx";
import { usePeopleTexts } from "./texts.ts";

const route = getRouteApi("/$slug/people/waiting");

/** `/{slug}/people/waiting`: who asked to belong, the longest waiting first (§3); let in with roles and outlets, or turned away. */
export function WaitingPage() {
	const { slug } = route.useParams();
	const words = usePeopleTexts();
	const [q, setSearch] = useState("");
	const list = usePagedList<JoinRequest>({
		key: peopleKey(slug, "waiting"),
		address: `${tenantAddress(usePlatform(), slug)}/join-requests`,
		query: { q: q || undefined },
	});
	const columns = useColumns(slug);
	return (
		<PeopleParts slug={slug}>
			<p className="mb-4 max-w-prose text-quiet">{words.waitingLead}</p>
			<Filters>
				<SearchField label={words.search} onSearch={setSearch} />
			</Filters>
			<PagedList
				isMain
				list={list}
				caption={words.waiting}
				columns={columns}
				keyOf={({ id }) => id}
				empty={q === "" ? words.noneWaiting : words.noneFound}
			/>
		</PeopleParts>
	);
}

function useColumns(slug: string): Column<JoinRequest>[] {
	const words = usePeopleTexts();
	const mayChange = useMayDo("auth.users.change");
	const zone = { language: useLanguage(), timeZone: useZone() };
	const columns: Column<JoinRequest>[] = [
		{
			head: words.person,
			cell: ({ name, email, email_verified }) => (
				<RowName detail={email}>
					<span className="mr-1">{name}</span>{" "}
					{!email_verified && <Mark kind="heed">{words.unverified}</Mark>}
				</RowName>
			),
		},
		{
			head: words.asksFor,
			cell: ({ requested_roles }) => <RoleNames codes={requested_roles} />,
		},
		{ head: words.asked, cell: ({ requested_at }) => formatTime(requested_at, zone) },
	];
	if (!mayChange) return columns;
	const actions = (request: JoinRequest) => <Deeds slug={slug} request={request} />;
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell: actions }];
}

function Deeds({ slug, request }: { slug: string; request: JoinRequest }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = usePeopleTexts();
	const [isAsked, setAsked] = useState(false);
	const { id, name } = request;
	const address = `${tenantAddress(platform, slug)}/join-requests/${id}`;
	const anew = async (said: string) => {
		setAsked(false);
		await queries.invalidateQueries({ queryKey: peopleKey(slug) });
		showToast("done", said);
	};
	return (
		<span className="flex flex-wrap gap-3 md:justify-end">
			<Button aria-label={words.approveOne(name)} onClick={() => setAsked(true)}>
				{words.approve}
			</Button>
			<AskedButton
				kind="quiet"
				label={words.refuse}
				fullLabel={words.refuseOne(name)}
				question={{
					title: words.refuseTitle(name),
					text: words.refuseText(name),
					confirm: words.refuse,
					busyText: words.refusing,
				}}
				deed={() => platform.client.call(`${address}/refuse`, { method: "POST" })}
				onDone={() => anew(words.refused(name))}
				own={words.refusals}
			/>
			{isAsked && (
				<ApproveDialog
					slug={slug}
					request={request}
					onDone={() => anew(words.approved(name))}
					onClose={() => setAsked(false)}
				/>
			)}
		</span>
	);
}

type ApproveDialog = { slug: string; request: JoinRequest; onDone: () => unknown; onClose: () => void };

function ApproveDialog({ slug, request, onDone, onClose }: ApproveDialog) {
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
			confirm={words.approve}
			busyText={words.approving}
			own={words.refusals}
			check={() => (grant.roles.length === 0 ? { message: words.lackingRoles, field: "roles" } : undefined)}
			deed={() => platform.client.call(address, { method: "POST", body })}
			onDone={onDone}
			onClose={onClose}
		>
			{(faultyField) => (
				<>
					<p className="wrap-anywhere text-quiet">{email}</p>
					<GrantFields slug={slug} grant={grant} onChange={setGrant} faultyField={faultyField} />
				</>
			)}
		</FormDialog>
	);
}
