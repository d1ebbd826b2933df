import { Button, buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Badge } from "../../../layout/badge.tsx";
import { SearchedList, useWholeList } from "../../../lists/searched-list.tsx";
import { usePlatform } from "../../../platform.ts";
import {
	accessKey,
	isGranted,
	type ServiceScope,
	serviceAddress,
} from "../../../services/service-access.queries.ts";
import type { ServiceRole } from "../access.queries.ts";
import { AccessLayout } from "../access-layout.tsx";
import { nameRole } from "../permission-names.ts";
import { ServiceGate } from "../service-gate.tsx";
import { useAccessTexts } from "../texts.ts";
import { RoleDialog } from "./role-dialog.tsx";

const route = getRouteApi("/$slug/access/$service");

/** `/{slug}/access/{service}`: the built-in roles of a service and the tenant's own. */
export function RolesPage() {
	const { slug, service } = route.useParams();
	return (
		<ServiceGate service={service} slug={slug}>
			{(scope, granted) => <Roles scope={scope} granted={granted} />}
		</ServiceGate>
	);
}

function Roles({ scope, granted }: { scope: ServiceScope; granted: ReadonlySet<string> }) {
	const platform = usePlatform();
	const words = useAccessTexts();
	const [isMaking, setMaking] = useState(false);
	const list = useWholeList<ServiceRole>({
		key: accessKey(scope, "roles"),
		address: `${serviceAddress(platform, scope)}/roles`,
		outlet: scope.outlet,
	});
	const columns = useColumns(scope);
	const action = isGranted(granted, `${scope.service}.roles.manage`) && (
		<Button aria-haspopup="dialog" kind="action" onClick={() => setMaking(true)}>
			{words.make}
		</Button>
	);
	return (
		<AccessLayout scope={scope} granted={granted} actions={action}>
			<SearchedList
				isMain
				query={list}
				search={{
					label: words.searchRoles,
					textOf: ({ code, description }) =>
						`${nameRole(code, { service: scope.service, words })} ${code} ${description}`,
				}}
				caption={words.roles}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noRoles}
			/>
			{isMaking && <RoleDialog scope={scope} changed={undefined} onClose={() => setMaking(false)} />}
		</AccessLayout>
	);
}

function useColumns({ service, slug }: ServiceScope): Column<ServiceRole>[] {
	const words = useAccessTexts();
	const nameOf = (code: string) => nameRole(code, { service, words });
	return [
		{
			head: words.role,
			sort: ["role", ({ code }) => nameOf(code)],
			cell: ({ code, description }) => <RowName detail={description || code}>{nameOf(code)}</RowName>,
		},
		{
			head: words.origin,
			cell: ({ is_system_role }) =>
				is_system_role ? words.fromService : <Badge kind="done">{words.own}</Badge>,
		},
		{
			head: words.grants,
			sort: ["grants", ({ permissions }) => permissions.length],
			cell: ({ permissions }) =>
				permissions.length === 0 ? words.nothing : words.grantCount(permissions.length),
		},
		{
			head: words.openColumn,
			isHeadHidden: true,
			isNumber: true,
			cell: ({ code }) => (
				<Link
					to="/$slug/access/$service/roles/$role"
					params={{ slug, service, role: code }}
					aria-label={words.openRoleOne(nameOf(code))}
					className={buttonLook("quiet")}
				>
					{words.openRole}
				</Link>
			),
		},
	];
}
