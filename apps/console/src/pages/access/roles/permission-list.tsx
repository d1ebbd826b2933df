import { useQuery } from "@tanstack/react-query";
import { CheckList } from "../../../fields/check-list.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { permissionsQuery } from "../access.queries.ts";
import { namePermission } from "../permission-names.ts";
import { useAccessTexts } from "../texts.ts";

type PermissionList = {
	scope: ServiceScope;
	granted: readonly string[];
	onChange: (granted: readonly string[]) => void;
	isInvalid: boolean;
	error: string | undefined;
};

/** Selects the permissions of a role from all that the service declares. */
export function PermissionList({ scope, granted, onChange, isInvalid, error }: PermissionList) {
	const words = useAccessTexts();
	const declared = useQuery(permissionsQuery(usePlatform(), scope));
	return (
		<Loaded query={declared}>
			{(all) => (
				<CheckList
					name="permissions"
					legend={words.permissions}
					choices={all.map(({ code, is_reserved }) => ({
						value: code,
						label: namePermission(code, words),
						detail: is_reserved ? words.reserved : code,
					}))}
					chosen={granted}
					onChange={onChange}
					isInvalid={isInvalid}
					error={error}
				/>
			)}
		</Loaded>
	);
}
