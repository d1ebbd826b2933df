import { useMayDo, useProfile } from "@lango/client/react";
import type { Member } from "@lango/contracts";
import { Button, type Column, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { RoleNames } from "../../roles/role-names.tsx";
import { useRoleTexts } from "../../roles/texts.ts";
import { outletsQuery, tenantAddress } from "../../tenant/tenant.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { describeOutlets } from "./describe-outlets.ts";
import { MemberDialog } from "./member-dialog.tsx";
import { peopleKey } from "./people.queries.ts";
import { PeopleLayout } from "./people-layout.tsx";
import { usePeopleTexts } from "./texts.ts";

const route = getRouteApi("/$slug/people");

/** `/{slug}/people`: the members with roles and outlets. Administrators change and remove them. */
export function MembersPage() {
	const { slug } = route.useParams();
	const words = usePeopleTexts();
	const { roles } = useRoleTexts();
	const list = usePagedList<Member>({
		key: peopleKey(slug, "members"),
		address: `${tenantAddress(usePlatform(), slug)}/members`,
		fields: [
			{ kind: "search", name: "q", label: words.search },
			choiceOf("role", words.role, [Object.keys(roles), roles]),
		],
	});
	const [changed, setChanged] = useState<Member>();
	const columns = useColumns({ slug, onChange: setChanged });
	return (
		<PeopleLayout slug={slug}>
			<PagedList
				isMain
				list={list}
				caption={words.members}
				columns={columns}
				keyOf={({ user_id }) => user_id}
				empty={words.none}
			/>
			{changed !== undefined && (
				<MemberDialog slug={slug} member={changed} onClose={() => setChanged(undefined)} />
			)}
		</PeopleLayout>
	);
}

type Columns = { slug: string; onChange: (member: Member) => void };

function useColumns({ slug, onChange }: Columns): Column<Member>[] {
	const words = usePeopleTexts();
	const mayChange = useMayDo("auth.users.change");
	const outlets = useQuery(outletsQuery(usePlatform(), slug)).data;
	const format = useFormat();
	const columns: Column<Member>[] = [
		{ head: words.person, cell: (member) => <Person member={member} /> },
		{ head: words.roles, cell: (member) => <RoleNames codes={member.roles} /> },
		{ head: words.worksAt, cell: (member) => describeOutlets(member, outlets, words) },
		{ head: words.since, cell: ({ joined_at }) => format.day(joined_at) },
	];
	if (!mayChange) return columns;
	const actions = (member: Member) => (
		<span className="flex flex-wrap gap-x-5 rows:justify-end">
			<Button
				aria-haspopup="dialog"
				kind="quiet"
				aria-label={words.changeOne(member.name)}
				onClick={() => onChange(member)}
			>
				{words.change}
			</Button>
			<RemoveButton slug={slug} member={member} />
		</span>
	);
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell: actions }];
}

function Person({ member: { user_id, name, email, email_verified, status } }: { member: Member }) {
	const words = usePeopleTexts();
	const { statuses } = useTexts();
	const profile = useProfile();
	return (
		<RowName detail={email}>
			<span className="mr-1">{name}</span> {user_id === profile?.userId && <Badge>{words.you}</Badge>}{" "}
			{status !== "active" && <Badge kind="error">{wordFor(statuses, status)}</Badge>}{" "}
			{!email_verified && <Badge kind="warning">{words.unverified}</Badge>}
		</RowName>
	);
}

type RemoveButton = { slug: string; member: Member };

/** Administrators cannot remove themselves; another administrator can. */
function RemoveButton({ slug, member }: RemoveButton) {
	const platform = usePlatform();
	const words = usePeopleTexts();
	const tenant = useTenant();
	const profile = useProfile();
	const { user_id: id, name } = member;
	if (id === profile?.userId) return null;
	return (
		<ConfirmButton
			kind="quiet"
			texts={{ ...words.remove, text: words.remove.text(name, tenant?.name ?? slug) }}
			isDestructive
			name={name}
			action={() =>
				platform.client.call(`${tenantAddress(platform, slug)}/members/${id}`, { method: "DELETE" })
			}
			invalidates={peopleKey(slug)}
			messages={words.errors}
		/>
	);
}
