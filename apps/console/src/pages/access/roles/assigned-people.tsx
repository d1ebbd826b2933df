import {
	Button,
	type Column,
	formatDay,
	formatTime,
	RowName,
	SearchField,
	useLanguage,
} from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { Section } from "../../../layout/section.tsx";
import { Filters } from "../../../lists/filters.tsx";
import { PagedList } from "../../../lists/paged-list.tsx";
import { usePagedList } from "../../../lists/use-paged-list.ts";
import { showToast } from "../../../notices/toast.ts";
import { usePlatform } from "../../../platform.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { allOutletsQuery } from "../../outlets/outlets.queries.ts";
import {
	type Assignment,
	accessKey,
	isGranted,
	type ServiceScope,
	serviceAddress,
} from "../access.queries.ts";
import { useAccessTexts } from "../texts.ts";
import { AssignDialog } from "./assign-dialog.tsx";

type Role = { code: string; name: string };
type AssignedPeople = { place: ServiceScope; role: Role; granted: ReadonlySet<string> };

/** Who has a role now, assigned and taken back by who may. A first role follows from the organisation and is not taken back. */
export function AssignedPeople({ place, role, granted }: AssignedPeople) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useAccessTexts();
	const [isAssigning, setAssigning] = useState(false);
	const [q, setSearch] = useState("");
	const address = `${serviceAddress(platform, place)}/roles/${encodeURIComponent(role.code)}/assignments`;
	const list = usePagedList<Assignment>({
		key: accessKey(place, "assigned", role.code),
		address,
		query: { q: q || undefined },
		outlet: place.outlet,
	});
	const mayManage = isGranted(granted, `${place.service}.roles.manage`);
	const reload = async (message: string) => {
		setAssigning(false);
		await queries.invalidateQueries({ queryKey: accessKey(place) });
		showToast("done", message);
	};
	const columns = useColumns({ place, address, mayManage, onRevoked: reload });
	const assign = mayManage && isGranted(granted, `${place.service}.users.view`) && (
		<Button onClick={() => setAssigning(true)}>{words.assign}</Button>
	);
	return (
		<Section title={words.assignedTo} lead={words.firstRoleAdvice} actions={assign}>
			<Filters>
				<SearchField label={words.searchAssigned} onSearch={setSearch} />
			</Filters>
			<PagedList
				list={list}
				caption={words.assignedTo}
				columns={columns}
				keyOf={({ id }) => id}
				empty={q === "" ? words.nobody : words.noneFound}
			/>
			{isAssigning && (
				<AssignDialog
					place={place}
					role={role}
					onDone={(name) => reload(words.assignDone(name, role.name))}
					onClose={() => setAssigning(false)}
				/>
			)}
		</Section>
	);
}

type Columns = {
	place: ServiceScope;
	address: string;
	mayManage: boolean;
	onRevoked: (message: string) => unknown;
};

function useColumns({ place, address, mayManage, onRevoked }: Columns): Column<Assignment>[] {
	const platform = usePlatform();
	const words = useAccessTexts();
	const outlets = useQuery(allOutletsQuery(platform, place.slug)).data;
	const zone = { language: useLanguage(), timeZone: useZone() };
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
		{ head: words.since, cell: ({ assigned_at }) => formatDay(assigned_at, zone) },
		{
			head: words.until,
			cell: ({ expires_at }) => (expires_at === null ? words.forGood : formatTime(expires_at, zone)),
		},
	];
	if (!mayManage) return columns;
	const cell = ({ id, name, assigned_by }: Assignment) =>
		assigned_by !== null && (
			<ConfirmButton
				kind="quiet"
				label={words.revoke}
				ariaLabel={words.revokeOne(name)}
				dialog={{
					title: words.revokeTitle(name),
					text: words.revokeText(name),
					confirm: words.revoke,
					busyText: words.revoking,
				}}
				action={() => platform.client.call(`${address}/${id}`, { method: "DELETE", outlet: place.outlet })}
				onDone={() => onRevoked(words.revoked(name))}
				messages={words.refusals}
			/>
		);
	return [...columns, { head: words.revoke, isHeadHidden: true, isNumber: true, cell }];
}
