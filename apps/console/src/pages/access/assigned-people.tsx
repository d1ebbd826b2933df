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
import { AskedButton } from "../../asking/asked-button.tsx";
import { Section } from "../../frame/section.tsx";
import { Filters } from "../../lists/filters.tsx";
import { PagedList } from "../../lists/paged-list.tsx";
import { usePagedList } from "../../lists/use-paged-list.ts";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../session/platform.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { allOutletsQuery } from "../outlet-list/outlet-list.queries.ts";
import { type Assignment, accessKey, holds, type ServicePlace, serviceAddress } from "./access.queries.ts";
import { AssignDialog } from "./assign-dialog.tsx";
import { useAccessTexts } from "./texts.ts";

type Role = { code: string; name: string };
type AssignedPeople = { place: ServicePlace; role: Role; rights: ReadonlySet<string> };

/** Who has a role now, assigned and taken back by who may. A first role follows from the organisation and is not taken back. */
export function AssignedPeople({ place, role, rights }: AssignedPeople) {
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
	const mayManage = holds(rights, `${place.service}.roles.manage`);
	const anew = async (said: string) => {
		setAssigning(false);
		await queries.invalidateQueries({ queryKey: accessKey(place) });
		showToast("done", said);
	};
	const columns = useColumns({ place, address, mayManage, onRevoked: anew });
	const assign = mayManage && holds(rights, `${place.service}.users.view`) && (
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
					onDone={(name) => anew(words.assignDone(name, role.name))}
					onClose={() => setAssigning(false)}
				/>
			)}
		</Section>
	);
}

type Columns = {
	place: ServicePlace;
	address: string;
	mayManage: boolean;
	onRevoked: (said: string) => unknown;
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
			<AskedButton
				kind="quiet"
				label={words.revoke}
				fullLabel={words.revokeOne(name)}
				question={{
					title: words.revokeTitle(name),
					text: words.revokeText(name),
					confirm: words.revoke,
					busyText: words.revoking,
				}}
				deed={() => platform.client.call(`${address}/${id}`, { method: "DELETE", outlet: place.outlet })}
				onDone={() => onRevoked(words.revoked(name))}
				own={words.refusals}
			/>
		);
	return [...columns, { head: words.revoke, isHeadHidden: true, isNumber: true, cell }];
}
