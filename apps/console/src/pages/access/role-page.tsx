import { Button } from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { AskedButton } from "../../asking/asked-button.tsx";
import { Page } from "../../frame/page.tsx";
import { Section } from "../../frame/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../session/platform.ts";
import { useTexts } from "../../texts/texts.ts";
import {
	accessKey,
	holds,
	roleQuery,
	type ServicePlace,
	type ServiceRole,
	serviceAddress,
} from "./access.queries.ts";
import { groupPermissions, nameRole } from "./access-words.ts";
import { AssignedPeople } from "./assigned-people.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import { ServiceGate } from "./service-gate.tsx";
import { useAccessTexts } from "./texts.ts";

const route = getRouteApi("/$slug/access/$service/roles/$role");

/** `/{slug}/access/{service}/roles/{role}`: what a role grants, and who has it. */
export function RolePage() {
	const { slug, service, role } = route.useParams();
	return (
		<ServiceGate service={service} slug={slug}>
			{(place, rights) => <FoundRole place={place} rights={rights} code={role} />}
		</ServiceGate>
	);
}

type Found = { place: ServicePlace; rights: ReadonlySet<string>; code: string };

function FoundRole({ place, rights, code }: Found) {
	const found = useQuery(roleQuery(usePlatform(), place, code));
	const words = useAccessTexts();
	const { products } = useTexts();
	const name = nameRole(code, { service: place.service, words });
	const mayManage = holds(rights, `${place.service}.roles.manage`);
	return (
		<Page
			title={name}
			lead={
				<Link
					to="/$slug/access/$service"
					params={place}
					className="text-link underline decoration-1 underline-offset-4 hover:decoration-2"
				>
					{words.rolesOf(products[place.service])}
				</Link>
			}
			actions={
				found.data !== undefined &&
				mayManage &&
				!found.data.is_system_role && <OwnRoleDeeds place={place} role={found.data} name={name} />
			}
		>
			<Loaded query={found} isMain>
				{(role) => (
					<>
						<Grants role={role} />
						<AssignedPeople place={place} role={{ code, name }} rights={rights} />
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

function OwnRoleDeeds({ place, role, name }: { place: ServicePlace; role: ServiceRole; name: string }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const { history } = useRouter();
	const words = useAccessTexts();
	const [isChanging, setChanging] = useState(false);
	const anew = async (said: string) => {
		setChanging(false);
		await queries.invalidateQueries({ queryKey: accessKey(place) });
		showToast("done", said);
	};
	const address = `${serviceAddress(platform, place)}/roles/${encodeURIComponent(role.code)}`;
	return (
		<div className="flex flex-wrap gap-3">
			<Button onClick={() => setChanging(true)}>{words.change}</Button>
			<AskedButton
				label={words.delete}
				question={{
					title: words.deleteTitle(name),
					text: words.deleteText,
					confirm: words.delete,
					busyText: words.deleting,
				}}
				deed={() => platform.client.call(address, { method: "DELETE", outlet: place.outlet })}
				goOn={() => history.push(`/${place.slug}/access/${place.service}`)}
				onDone={() => {
					queries.removeQueries({ queryKey: accessKey(place, "role", role.code) });
					return anew(words.deleted(name));
				}}
				own={words.refusals}
			/>
			{isChanging && (
				<RoleDialog
					place={place}
					changed={role}
					onDone={() => anew(words.saved(name))}
					onClose={() => setChanging(false)}
				/>
			)}
		</div>
	);
}
