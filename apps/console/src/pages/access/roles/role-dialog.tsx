import { TextField } from "@lango/interface";
import { useState } from "react";
import { FormDialog } from "../../../dialogs/form-dialog.tsx";
import { errorsOf } from "../../../forms/rules.ts";
import { usePlatform } from "../../../platform.ts";
import { accessKey, type ServiceScope, serviceAddress } from "../../../services/service-access.queries.ts";
import { asWords } from "../../../texts/texts.ts";
import type { ServiceRole } from "../access.queries.ts";
import { nameRole, roleCode } from "../permission-names.ts";
import { useAccessTexts } from "../texts.ts";
import { PermissionList } from "./permission-list.tsx";

type RoleDialog = {
	scope: ServiceScope;
	/** The role to change; undefined to create one. */
	changed: ServiceRole | undefined;
	onClose: () => void;
};

/**
 * Creates or changes a role of the tenant: name, description and permissions. Its code cannot be changed.
 */
export function RoleDialog({ scope, changed, onClose }: RoleDialog) {
	const words = useAccessTexts();
	const [name, setName] = useState("");
	const [description, setDescription] = useState(changed?.description ?? "");
	const [permissions, setPermissions] = useState<readonly string[]>(changed?.permissions ?? []);
	const code = changed?.code ?? roleCode(name);
	const called = asWords(code);
	const send = useSend(scope, changed);
	const labels =
		changed === undefined
			? {
					title: words.makeTitle,
					confirm: words.make,
					busyText: words.making,
					done: words.made(called),
				}
			: {
					title: words.changeTitle(called),
					confirm: words.save,
					busyText: words.saving,
					done: words.saved(nameRole(code, { service: scope.service, words })),
				};
	return (
		<FormDialog
			{...labels}
			messages={words.errors}
			check={() => errorsOf([[code === "", "code", words.missingName]])}
			action={() => send(code, { description: description.trim(), permissions })}
			invalidates={accessKey(scope)}
			onClose={onClose}
		>
			{(field) => (
				<>
					{changed === undefined && (
						<TextField
							{...field("code")}
							isProse
							autoComplete="off"
							maxLength={60}
							label={words.name}
							hint={words.nameHint(code)}
							value={name}
							onChange={(event) => setName(event.target.value)}
						/>
					)}
					<TextField
						{...field("description")}
						isProse
						isOptional
						autoComplete="off"
						maxLength={500}
						label={words.description}
						value={description}
						onChange={(event) => setDescription(event.target.value)}
					/>
					<PermissionList
						scope={scope}
						granted={permissions}
						onChange={setPermissions}
						{...field("permissions")}
					/>
				</>
			)}
		</FormDialog>
	);
}

/** Returns the request that creates or changes the role. */
function useSend(scope: ServiceScope, changed: ServiceRole | undefined) {
	const platform = usePlatform();
	const { outlet } = scope;
	const address = `${serviceAddress(platform, scope)}/roles`;
	return (code: string, body: { description: string; permissions: readonly string[] }) =>
		changed === undefined
			? platform.client.call(address, { method: "POST", body: { code, ...body }, outlet })
			: platform.client.call(`${address}/${encodeURIComponent(code)}`, { method: "PATCH", body, outlet });
}
