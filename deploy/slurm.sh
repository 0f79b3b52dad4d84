#!/bin/bash
#SBATCH --job-name=igen
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=01:00:00
# The nodes of a job become load machines for one run: `sbatch deploy/slurm.sh http --target http://shop.example
# --users 4000`. What follows the file is what follows `igen run`. `igen`, `igen-agent` and `ray` (2.60.0, with the
# same Python) are in the PATH of each node, and the home folder is the same on all of them.
set -euo pipefail
umask 077

# For this job alone: a token, and a certificate for its nodes.
secrets=$(mktemp -d "$HOME/.igen-cluster-XXXXXX")
trap 'rm -rf "$secrets"' EXIT
openssl rand -hex 32 >"$secrets/token"
nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
addresses=$(for node in $nodes; do getent ahostsv4 "$node" | awk 'NR == 1 { print "IP:" $1 }'; done | paste -sd,)
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 7 -subj /CN=igen-cluster \
  -addext "subjectAltName=DNS:localhost,IP:127.0.0.1,$addresses" \
  -keyout "$secrets/key.pem" -out "$secrets/certificate.pem" 2>/dev/null

export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH=$secrets/token RAY_USAGE_STATS_ENABLED=0
export RAY_USE_TLS=1 RAY_TLS_SERVER_CERT=$secrets/certificate.pem RAY_TLS_SERVER_KEY=$secrets/key.pem
export RAY_TLS_CA_CERT=$secrets/certificate.pem
export RAY_health_check_initial_delay_ms=1000 RAY_health_check_period_ms=500
export RAY_health_check_timeout_ms=1000 RAY_health_check_failure_threshold=3

srun ray symmetric-run --address "${nodes%%$'\n'*}:6379" --min-nodes "$SLURM_JOB_NUM_NODES" \
  --include-dashboard=false --object-store-memory=268435456 \
  -- igen run "$@" --agents "$SLURM_JOB_NUM_NODES" --fleet auto
