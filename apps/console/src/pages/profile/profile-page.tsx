import type { Membership, Profile } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import { buttonLook, type Column, DataTable, Notice } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { DetailRows } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { NextButton } from "../../notices/next-button.tsx";
import { usePlatform } from "../../platform.ts";
import { RoleNames } from "../../roles/role-names.tsx";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { useProfileTexts } from "./texts.ts";

/**
 * `/{slug}/profile`: the user's name and roles, and their other tenants. Users come here after their
 * approval (§3).
 */
export function ProfilePage() {
	const client = useClient();
	const state = useClientState();
	const { settings } = usePlatform();
	const words = useProfileTexts();
	const [wasPending] = useState(state.status === "ready" && state.wasPending);
	useEffect(() => client.acknowledgeApproval(), [client]);
	if (state.status !== "ready") return null;
	const edit = (
		<a href={`${settings.accountsUrl}/profile`} className={buttonLook("plain")}>
			{words.edit}
		</a>
	);
	return (
		<Page title={words.title} lead={words.editLead} actions={edit}>
			{wasPending && <Notice kind="done">{words.approved}</Notice>}
			<div className="mt-4 empty:hidden">
				<NextButton />
			</div>
			<Who profile={state.profile} />
			<Section title={words.organisations}>
				<Memberships profile={state.profile} />
			</Section>
		</Page>
	);
}

function Who({ profile }: { profile: Profile }) {
	const words = useProfileTexts();
	return (
		<div className="my-6">
			<DetailRows
				rows={[
					[words.name, profile.name],
					[words.email, profile.email],
					[words.roles, <RoleNames key="roles" codes={profile.globalRoles} />],
				]}
			/>
		</div>
	);
}

function Memberships({ profile }: { profile: Profile }) {
	const words = useProfileTexts();
	const { statuses } = useTexts();
	const columns: Column<Membership>[] = [
		{ head: words.organisation, cell: ({ name }) => name },
		{ head: words.roles, cell: ({ roles }) => <RoleNames codes={roles} /> },
		{ head: words.status, cell: ({ status }) => wordFor(statuses, status) },
		{
			head: words.openColumn,
			isHeadHidden: true,
			isNumber: true,
			cell: ({ slug, name, tenantId }) =>
				tenantId === profile.tenantId ? (
					<span className="text-quiet">{words.here}</span>
				) : (
					<Link
						to="/$slug"
						params={{ slug }}
						aria-label={words.openOne(name)}
						className={buttonLook("quiet")}
					>
						{words.open}
					</Link>
				),
		},
	];
	return (
		<DataTable
			caption={words.organisations}
			columns={columns}
			rows={profile.memberships}
			keyOf={({ tenantId }) => tenantId}
			empty={words.none}
		/>
	);
}
