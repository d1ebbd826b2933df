import { Button, type Column, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { Section } from "../../../layout/section.tsx";
import { PagedList, usePagedList } from "../../../lists/paged-list.tsx";
import { usePlatform } from "../../../platform.ts";
import {
	accessKey,
	isGranted,
	type ServiceScope,
	serviceAddress,
} from "../../../services/service-access.queries.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { allOutletsQuery } from "../../outlets/outlets.queries.ts";
import type { Assignment } from "../access.queries.ts";
import { useAccessTexts } from "../texts.ts";
import { AssignDialog } from "./assign-dialog.tsx";

type Role = { code: string; name: string };
type AssignedPeople = { scope: ServiceScope; role: Role; granted: ReadonlySet<string> };

/**
 * The users with a role. A user with the permission can assign and revoke it. A first role follows from the
 * global roles and cannot be revoked.
 */
export function AssignedPeople({ scope, role, granted }: AssignedPeople) {
	const platform = usePlatform();
	const words = useAccessTexts();
	const [isAssigning, setAssigning] = useState(false);
	const address = `${serviceAddress(platform, scope)}/roles/${encodeURIComponent(role.code)}/assignments`;
	const list = usePagedList<Assignment>({
		key: accessKey(scope, "assigned", role.code),
		address,
		fields: [{ kind: "search", name: "q", label: words.searchAssigned }],
		outlet: scope.outlet,
	});
	const mayManage = isGranted(granted, `${scope.service}.roles.manage`);
	const columns = useColumns({ scope, address, mayManage });
	const assign = mayManage && isGranted(granted, `${scope.service}.users.view`) && (
		<Button aria-haspopup="dialog" onClick={() => setAssigning(true)}>
			{words.assign}
		</Button>
	);
	return (
		<Section title={words.assignedTo} lead={words.firstRoleAdvice} actions={assign}>
			<PagedList
				list={list}
				caption={words.assignedTo}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noAssignments}
			/>
			{isAssigning && <AssignDialog scope={scope} role={role} onClose={() => setAssigning(false)} />}
		</Section>
	);
}

type Columns = {
	scope: ServiceScope;
	address: string;
	mayManage: boolean;
};

function useColumns({ scope, address, mayManage }: Columns): Column<Assignment>[] {
	const platform = usePlatform();
	const words = useAccessTexts();
	const outlets = useQuery(allOutletsQuery(platform, scope.slug)).data;
	const format = useFormat();
	const columns: Column<Assignment>[] = [
		{
			head: words.person,
			cell: ({ name, email }) => <RowName detail={email}>{name}</RowName>,
		},
		{
			head: words.where,
			cell: ({ outlet_id }) =>
				outlet_id === null ? words.everywhere : (outlets?.find(({ id }) => id === outlet_id)?.name ?? "–"),
		},
		{
			head: words.by,
			cell: ({ assigned_by }) => (assigned_by === null ? words.firstRole : words.assigned),
		},
		{ head: words.since, cell: ({ assigned_at }) => format.day(assigned_at) },
		{
			head: words.until,
			cell: ({ expires_at }) => (expires_at === null ? words.forGood : format.time(expires_at)),
		},
	];
	if (!mayManage) return columns;
	const cell = ({ id, name, assigned_by }: Assignment) =>
		assigned_by !== null && (
			<ConfirmButton
				kind="quiet"
				texts={words.revoke}
				isDestructive
				name={name}
				action={() => platform.client.call(`${address}/${id}`, { method: "DELETE", outlet: scope.outlet })}
				invalidates={accessKey(scope)}
				messages={words.errors}
			/>
		);
	return [...columns, { head: words.revoke.label, isHeadHidden: true, isNumber: true, cell }];
}
