import { Button } from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { Page } from "../../../layout/page.tsx";
import { Section } from "../../../layout/section.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../platform.ts";
import {
	accessKey,
	isGranted,
	type ServiceScope,
	serviceAddress,
} from "../../../services/service-access.queries.ts";
import { useTexts } from "../../../texts/texts.ts";
import { roleQuery, type ServiceRole } from "../access.queries.ts";
import { groupPermissions, nameRole } from "../permission-names.ts";
import { ServiceGate } from "../service-gate.tsx";
import { useAccessTexts } from "../texts.ts";
import { AssignedPeople } from "./assigned-people.tsx";
import { RoleDialog } from "./role-dialog.tsx";

const route = getRouteApi("/$slug/access/$service/roles/$role");

/** `/{slug}/access/{service}/roles/{role}`: the permissions and assignments of a role. */
export function RolePage() {
	const { slug, service, role } = route.useParams();
	return (
		<ServiceGate service={service} slug={slug}>
			{(scope, granted) => <FoundRole scope={scope} granted={granted} code={role} />}
		</ServiceGate>
	);
}

type Found = { scope: ServiceScope; granted: ReadonlySet<string>; code: string };

function FoundRole({ scope, granted, code }: Found) {
	const found = useQuery(roleQuery(usePlatform(), scope, code));
	const words = useAccessTexts();
	const { products } = useTexts();
	const name = nameRole(code, { service: scope.service, words });
	const mayManage = isGranted(granted, `${scope.service}.roles.manage`);
	return (
		<Page
			title={name}
			lead={
				<Link
					to="/$slug/access/$service"
					params={scope}
					className="text-link underline decoration-1 underline-offset-4 hover:decoration-2"
				>
					{words.rolesOf(products[scope.service])}
				</Link>
			}
			actions={
				found.data !== undefined &&
				mayManage &&
				!found.data.is_system_role && <OwnRoleActions scope={scope} role={found.data} name={name} />
			}
		>
			<Loaded query={found} isMain>
				{(role) => (
					<>
						<Grants role={role} />
						<AssignedPeople scope={scope} role={{ code, name }} granted={granted} />
					</>
				)}
			</Loaded>
		</Page>
	);
}

function Grants({ role: { code, description, permissions } }: { role: ServiceRole }) {
	const words = useAccessTexts();
	const groups = groupPermissions(permissions, words);
	return (
		<Section title={words.permissions} lead={description || words.code(code)}>
			{groups.length === 0 ? (
				<p className="text-quiet">{words.grantsNothing}</p>
			) : (
				<dl className="grid gap-x-8 gap-y-1 sm:grid-cols-[auto_1fr]">
					{groups.map(({ module, actions }) => (
						<div key={module} className="contents">
							<dt className="font-semibold">{module}</dt>
							<dd className="mb-2 sm:mb-0">{actions.join(", ")}</dd>
						</div>
					))}
				</dl>
			)}
		</Section>
	);
}

function OwnRoleActions({ scope, role, name }: { scope: ServiceScope; role: ServiceRole; name: string }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const words = useAccessTexts();
	const [isChanging, setChanging] = useState(false);
	const address = `${serviceAddress(platform, scope)}/roles/${encodeURIComponent(role.code)}`;
	return (
		<div className="flex flex-wrap gap-3">
			<Button aria-haspopup="dialog" onClick={() => setChanging(true)}>
				{words.change}
			</Button>
			<ConfirmButton
				texts={words.delete}
				isDestructive
				name={name}
				action={() => platform.client.call(address, { method: "DELETE", outlet: scope.outlet })}
				redirect={() => navigate({ to: "/$slug/access/$service", params: scope })}
				onDone={() => queries.removeQueries({ queryKey: accessKey(scope, "role", role.code) })}
				invalidates={accessKey(scope)}
				messages={words.errors}
			/>
			{isChanging && <RoleDialog scope={scope} changed={role} onClose={() => setChanging(false)} />}
		</div>
	);
}
