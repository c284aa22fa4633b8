#!/bin/sh
# Does every shard of a work plan of taintsim as a job array. The folder has to be there under this
# name on every node of the cluster. A task that is requeued, or runs twice, is done once.
# When all are done: taintsim gather @dir@
# If that says that another round is next, submit this script again.
@large@#SBATCH --job-name=@name@
#SBATCH --array=0-@last@
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --open-mode=append
exec taintsim shard @dir@ "$SLURM_ARRAY_TASK_ID" --jobs "${SLURM_CPUS_PER_TASK:-1}"
